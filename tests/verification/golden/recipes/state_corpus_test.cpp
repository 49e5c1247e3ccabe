#include "verification/golden/recipes/state_corpus.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/recipes/corpus.hpp"
#include "verification/golden/recipes/norm_corpus.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::find;
using corpus::Tier;

namespace {

using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

std::set<std::string> collect_case_reasons(const std::vector<Case>& cases) {
  std::set<std::string> reasons;
  for (const Case& c : cases) reasons.insert(c.reason);
  return reasons;
}

TEST(StateCases, ArePartOfTheCasesOfEveryLayerWithState) {
  for (const char* layer :
       {"batch_norm", "batch_renorm", "power_norm", "power_norm_released", "power_norm_v"}) {
    const auto own = collect_case_reasons(state_cases(layer, kCorpusSeed));
    EXPECT_THAT(own, IsSupersetOf({"inference", "inference_offset_1e3", "steps", "slow_decay"}))
        << layer;
    EXPECT_THAT(collect_case_reasons(norm_cases(Tier::quick, layer, kCorpusSeed)),
                IsSupersetOf(own));
    EXPECT_EQ(own.contains("every_4th_batch"),
              std::string(layer) == "power_norm" || std::string(layer) == "power_norm_released");
    EXPECT_EQ(own.contains("without_scaled_nu"), std::string(layer) == "power_norm_released");
    EXPECT_EQ(own.contains("clipped"), std::string(layer) == "batch_renorm");
  }
  EXPECT_THAT(state_cases("layer_norm", kCorpusSeed), IsEmpty());
}

TEST(StateCases, SequenceHasOneInitialState) {
  for (const Case& c : state_cases("batch_norm", kCorpusSeed))
    if (c.reason == "steps") {
      EXPECT_TRUE(c.sequence);
      EXPECT_EQ(find(c.inputs, "x")->shape, (std::vector<std::size_t>{4, 6, 5}));
      EXPECT_EQ(find(c.inputs, "running_mean")->shape, (std::vector<std::size_t>{5}));
    }
}

}  // namespace
}  // namespace normproof::verification::golden::recipes
