#include "verification/golden/recipes/limit_corpus.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/model/norm_options.hpp"
#include "verification/golden/corpus/layer_traits.hpp"
#include "verification/golden/recipes/corpus.hpp"

namespace normproof::verification::golden::recipes {
namespace {

using corpus::Case;
using corpus::Tier;
using ::testing::Contains;
using ::testing::Not;

std::vector<std::string> list_layer_reasons(std::string_view layer) {
  std::vector<std::string> reasons;
  for (const Case& c : limit_cases(layer, 1)) reasons.push_back(c.reason);
  return reasons;
}

TEST(LimitCases, ExistForEveryLayerInTheStandardTier) {
  for (const std::string& layer : ref::model::norm_names()) {
    if (layer == "none") continue;
    EXPECT_THAT(list_layer_reasons(layer), Contains("zeros_in_x")) << layer;
    for (const Case& c : limit_cases(layer, 1)) EXPECT_EQ(c.tier, Tier::standard) << layer;
    std::size_t in_corpus = 0;
    for (const Case& c : corpus(Tier::standard, kCorpusSeed, "*/" + layer + "/zeros_in_x-*"))
      in_corpus += corpus::case_operation_name(c) == layer && c.reason == "zeros_in_x" ? 1 : 0;
    EXPECT_EQ(in_corpus, 1u) << layer;
  }
}

TEST(LimitCases, SetEachOptionToItsLimits) {
  EXPECT_THAT(list_layer_reasons("batch_renorm"), Contains("no_rescaling"));
  EXPECT_THAT(list_layer_reasons("batch_norm"), Contains("statistics_stay"));
  EXPECT_THAT(list_layer_reasons("power_norm"), Contains("nu_of_the_batch"));
  EXPECT_THAT(list_layer_reasons("layer_norm"), Contains("no_eps"));
  EXPECT_THAT(list_layer_reasons("dyt"), Not(Contains("no_eps")));
  EXPECT_THAT(list_layer_reasons("layer_norm"), Not(Contains("statistics_of_0")));
  EXPECT_THAT(list_layer_reasons("instance_norm"), Contains("single_token"));
}

}  // namespace
}  // namespace normproof::verification::golden::recipes
