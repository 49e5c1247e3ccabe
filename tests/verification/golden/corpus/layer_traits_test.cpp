#include "verification/golden/corpus/layer_traits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "ref/model/operation.hpp"
#include "ref/numeric/errors.hpp"

namespace normproof::verification::golden::corpus {
namespace {

using ::testing::UnorderedElementsAre;

std::vector<std::string> list_layers_with(const std::function<bool(std::string_view)>& trait) {
  std::vector<std::string> layers;
  for (const std::string& layer : ref::model::norm_names())
    if (trait(layer)) layers.push_back(layer);
  return layers;
}

TEST(LayerTraits, MatchTheSpecification) {
  EXPECT_THAT(list_layers_with(has_state),
              UnorderedElementsAre("batch_norm", "batch_renorm", "power_norm",
                                   "power_norm_released", "power_norm_v"));
  EXPECT_THAT(list_layers_with([](auto layer) { return !has_statistics(layer); }),
              UnorderedElementsAre("none", "dyt"));
  EXPECT_THAT(list_layers_with(is_centered),
              UnorderedElementsAre("batch_norm", "batch_renorm", "group_norm", "instance_norm",
                                   "layer_norm"));
  EXPECT_THAT(list_layers_with(uses_mask),
              UnorderedElementsAre("batch_norm", "batch_renorm", "group_norm", "instance_norm",
                                   "power_norm", "power_norm_released", "power_norm_v"));
  EXPECT_THAT(list_layers_with(needs_tokens), UnorderedElementsAre("group_norm", "instance_norm"));
  EXPECT_THAT(list_layers_with(has_statistics_over_rows),
              UnorderedElementsAre("batch_norm", "batch_renorm", "instance_norm", "power_norm",
                                   "power_norm_released", "power_norm_v"));
  EXPECT_THAT(list_layers_with([](auto layer) { return has_option(layer, "groups"); }),
              UnorderedElementsAre("group_norm", "group_scaling", "power_norm_released"));
  EXPECT_THAT(list_layers_with([](auto layer) { return has_option(layer, "warmup_iterations"); }),
              UnorderedElementsAre("power_norm", "power_norm_released"));
}

TEST(LayerTraits, RejectAnUnknownLayer) {
  EXPECT_THROW(has_state("layer_nrom"), ref::numeric::UsageError);
  EXPECT_THROW(has_option("layer_nrom", "eps"), ref::numeric::UsageError);
}

}  // namespace
}  // namespace normproof::verification::golden::corpus
