#include "verification/golden/recipes/gated_norm_corpus.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <tuple>

#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/recipes/corpus.hpp"

namespace normproof::verification::golden::recipes {
namespace {

const ref::model::GatedRMSNormOptions& gated_options(const Case& c) {
  return std::get<ref::model::GatedRMSNormOptions>(
      std::get<ref::model::FunctionOptions>(c.options));
}

TEST(GatedNormCases, HaveEveryFormulaInEveryDtype) {
  std::set<std::tuple<ref::model::GatePosition, ref::model::GateActivation, DType>> seen;
  for (const Case& c : gated_norm_cases(Tier::quick, kCorpusSeed))
    if (c.reason.starts_with("random"))
      seen.insert({gated_options(c).gate_position, gated_options(c).gate_activation, c.dtype});
  EXPECT_EQ(seen.size(), 16u);
}

TEST(GatedNormCases, HaveGroupsOfEveryWidth) {
  std::set<std::size_t> widths;
  for (const Case& c : gated_norm_cases(Tier::quick, kCorpusSeed))
    if (gated_options(c).groups > 1)
      widths.insert(find(c.inputs, "x")->shape.back() /
                    static_cast<std::size_t>(gated_options(c).groups));
  for (const std::size_t width : {1u, 2u, 32u, 33u, 64u, 128u}) EXPECT_TRUE(widths.contains(width));
}

/// The statistic of another group, or of the row, must differ in every element.
TEST(GatedNormCases, HaveGroupsWhoseMeanSquaresDiffer) {
  std::size_t seen = 0;
  for (const Case& c : gated_norm_cases(Tier::quick, kCorpusSeed)) {
    if (c.reason != "groups_of_32") continue;
    ++seen;
    const std::vector<double> x = find_tensor_values(c.inputs, "x");
    for (std::size_t first = 0; first < x.size(); first += 128) {
      double earlier = 0;
      for (std::size_t group = first; group < first + 128; group += 32) {
        double square = 0;
        for (std::size_t i = group; i < group + 32; ++i) square += x[i] * x[i];
        EXPECT_GT(square, 1.5 * earlier) << case_folder(c);
        earlier = square;
      }
    }
  }
  EXPECT_EQ(seen, 2u);
}

TEST(GatedNormCases, HaveGatesWhoseExponentialOverflowsFloat32) {
  std::size_t seen = 0;
  for (const Case& c : gated_norm_cases(Tier::quick, kCorpusSeed)) {
    if (!c.reason.starts_with("large_gate")) continue;
    ++seen;
    bool above = false, below = false;
    for (const double z : find_tensor_values(c.inputs, "gate")) {
      above = above || z > 88.8;
      below = below || z < -88.8;
    }
    EXPECT_TRUE(above && below) << case_folder(c);
  }
  EXPECT_EQ(seen, 4u);
}

TEST(GatedNormCases, AreInTheirTier) {
  for (const Tier tier : {Tier::quick, Tier::standard})
    for (const Case& c : gated_norm_cases(tier, 1)) EXPECT_EQ(c.tier, tier);
  EXPECT_TRUE(gated_norm_cases(Tier::full, 1).empty());
}

}  // namespace
}  // namespace normproof::verification::golden::recipes
