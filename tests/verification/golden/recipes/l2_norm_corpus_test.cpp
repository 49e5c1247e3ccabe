#include "verification/golden/recipes/l2_norm_corpus.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>

#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/recipes/corpus.hpp"

namespace normproof::verification::golden::recipes {
namespace {

const ref::model::L2NormOptions& options_of(const Case& c) {
  return std::get<ref::model::L2NormOptions>(std::get<ref::model::FunctionOptions>(c.options));
}

TEST(L2NormCases, HaveEveryEpsPlacementInEveryDtype) {
  std::map<ref::model::EpsPlacement, std::set<DType>> dtypes;
  for (const Case& c : l2_norm_cases(Tier::quick, kCorpusSeed))
    if (c.reason.starts_with("near_eps")) dtypes[options_of(c).eps_placement].insert(c.dtype);
  EXPECT_EQ(dtypes.size(), 3u);
  for (const auto& [placement, found] : dtypes) EXPECT_EQ(found.size(), 4u);
}

TEST(L2NormCases, HaveRowsBelowAndAboveTheEpsFloor) {
  for (const Case& c : l2_norm_cases(Tier::quick, kCorpusSeed)) {
    if (c.reason != "near_eps_floor" && c.reason != "eps_1e-12_floor") continue;
    const std::vector<double> x = find_tensor_values(c.inputs, "x");
    std::size_t below = 0, rows = 0;
    for (std::size_t first = 0; first < x.size(); first += 16, ++rows) {
      double square = 0;
      for (std::size_t i = first; i < first + 16; ++i) square += x[i] * x[i];
      below += std::sqrt(square) < options_of(c).eps ? 1 : 0;
    }
    EXPECT_GT(below, 0u) << case_folder(c);
    EXPECT_LT(below, rows) << case_folder(c);
  }
}

TEST(L2NormCases, AreInEveryTier) {
  for (const Tier tier : {Tier::quick, Tier::standard, Tier::full})
    for (const Case& c : l2_norm_cases(tier, 1)) EXPECT_EQ(c.tier, tier);
  EXPECT_EQ(l2_norm_cases(Tier::full, 1).size(), 6u);
}

}  // namespace
}  // namespace normproof::verification::golden::recipes
