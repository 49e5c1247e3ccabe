#include "verification/golden/recipes/cross_entropy_corpus.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/recipes/corpus.hpp"

namespace normproof::verification::golden::recipes {
namespace {

TEST(CrossEntropyCases, HaveWeightsSmoothingAndIgnoredRowsInEveryDtype) {
  std::map<std::string, std::set<DType>> dtypes;
  for (const Case& c : cross_entropy_cases(Tier::quick, kCorpusSeed))
    dtypes[c.reason].insert(c.dtype);
  for (const char* reason :
       {"random", "ignored", "weighted", "smoothed", "weighted_smoothed_ignored", "large_logits"})
    EXPECT_EQ(dtypes[reason].size(), 4u) << reason;
}

// The targets of consecutive rows must differ. Otherwise a candidate that takes the target of the
// next row would pass.
TEST(CrossEntropyCases, TargetsAreClassesAndDifferFromTheNextRow) {
  for (const Case& c : cross_entropy_cases(Tier::quick, kCorpusSeed)) {
    const auto targets = find_tensor_values(c.inputs, "targets");
    const double classes = static_cast<double>(find(c.inputs, "logits")->shape[1]);
    EXPECT_LT(*std::ranges::max_element(targets), classes) << case_folder(c);
    if (c.reason != "random") continue;
    for (std::size_t i = 0; i + 1 < targets.size(); ++i) EXPECT_NE(targets[i], targets[i + 1]);
  }
}

TEST(CrossEntropyCases, HaveTargetsPast127AndPast32767) {
  std::map<Tier, double> first, last;
  std::set<DType> dtypes;
  for (const Tier tier : {Tier::quick, Tier::standard})
    for (const Case& c : cross_entropy_cases(tier, kCorpusSeed)) {
      if (c.reason != "late_targets") continue;
      const auto targets = find_tensor_values(c.inputs, "targets");
      first[tier] = *std::ranges::min_element(targets);
      last[tier] = *std::ranges::max_element(targets);
      if (tier == Tier::quick) dtypes.insert(c.dtype);
    }
  EXPECT_EQ(dtypes, (std::set<DType>{DType::float32, DType::bfloat16, DType::float16}));
  EXPECT_GT(first[Tier::quick], 127);
  EXPECT_GT(last[Tier::quick], 255);
  EXPECT_GT(last[Tier::standard], 32767);
}

TEST(CrossEntropyCases, AreNotInTheFullTier) {
  EXPECT_TRUE(cross_entropy_cases(Tier::full, 1).empty());
  EXPECT_FALSE(cross_entropy_cases(Tier::standard, 1).empty());
}

}  // namespace
}  // namespace normproof::verification::golden::recipes
