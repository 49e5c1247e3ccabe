#include "verification/golden/certify/condition.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/verification/checks/compare/expect.hpp"
#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/certify/row_blocks.hpp"

namespace normproof::verification::golden::certify {

using recipes::Fill;
namespace {

Fill fill_with(std::vector<double> values) {
  return [values = std::move(values)](std::size_t i, double) { return values.at(i); };
}

Recipe condition_recipe(const std::string& layer, std::vector<std::size_t> shape,
                        std::vector<double> x) {
  return plain_recipe(layer, std::move(shape)).option("eps", "3").x(fill_with(std::move(x)));
}

TEST(ConditionNumber, IsThatOfTheWorstRowForLayerNorm) {
  // The row (1, 3) has mean 2 and variance 1. The row (9, 11) has mean 10 and variance 1, and so
  // the larger condition number.
  EXPECT_BITS_EQ(condition_number(condition_recipe("layer_norm", {1, 2}, {1, 3}).make(1)),
                 std::sqrt(5.0 / 4));
  EXPECT_BITS_EQ(condition_number(condition_recipe("layer_norm", {2, 2}, {9, 11, 1, 3}).make(1)),
                 std::sqrt(101.0 / 4));
}

TEST(ConditionNumber, IsThatOfTheWorstColumnWithoutPaddingForBatchNorm) {
  const std::vector<double> x = {9, 1, 11, 3};
  for (const char* layer : {"batch_norm", "batch_renorm"})
    EXPECT_BITS_EQ(condition_number(condition_recipe(layer, {2, 2}, x).make(1)),
                   std::sqrt(101.0 / 4));
  const std::vector<double> padded = {1, 3, 3, 1, 1000, 1000};
  Recipe recipe = condition_recipe("batch_norm", {3, 2}, padded);
  EXPECT_GT(condition_number(recipe.make(1)), 1.2);
  EXPECT_BITS_EQ(condition_number(recipe.pads([](std::size_t row) { return row == 2; }).make(1)),
                 std::sqrt(5.0 / 4));
}

TEST(ConditionNumber, IsThatOfTheWorstSliceForInstanceAndGroupNorm) {
  // Two samples, two tokens, two features. The first feature of the second sample is (9, 11).
  const std::vector<double> x = {1, 3, 3, 1, 9, 1, 11, 3};
  EXPECT_BITS_EQ(condition_number(condition_recipe("instance_norm", {2, 2, 2}, x).make(1)),
                 std::sqrt(101.0 / 4));
  // With one group, the second sample is (9, 1, 11, 3), with mean 6 and variance 17.
  EXPECT_BITS_EQ(
      condition_number(condition_recipe("group_norm", {2, 2, 2}, x).option("groups", "1").make(1)),
      std::sqrt(53.0 / 20));
  EXPECT_BITS_EQ(
      condition_number(condition_recipe("group_norm", {2, 2, 2}, x).option("groups", "2").make(1)),
      std::sqrt(101.0 / 4));
}

TEST(ConditionNumber, UsesTheChannelsOfEitherLayout) {
  // Two channels of two pixels, (9, 11) and (1, 3): first with the layout channels_first, then with
  // channels_last.
  const auto of = [](const char* layout, std::vector<std::size_t> shape, std::vector<double> x) {
    return condition_number(condition_recipe("batch_norm", std::move(shape), std::move(x))
                                .option("layout", layout)
                                .make(1));
  };
  EXPECT_BITS_EQ(of("channels_first", {1, 2, 1, 2}, {9, 11, 1, 3}), std::sqrt(101.0 / 4));
  EXPECT_BITS_EQ(of("channels_last", {1, 1, 2, 2}, {9, 1, 11, 3}), std::sqrt(101.0 / 4));
}

TEST(ConditionNumber, IsThatOfTheWorstStepForASequence) {
  EXPECT_BITS_EQ(condition_number(
                     condition_recipe("batch_norm", {2, 1}, {1, 3, 9, 11, 1, 3}).steps(3).make(1)),
                 std::sqrt(101.0 / 4));
}

TEST(ConditionNumber, IgnoresInfinityAndNaN) {
  EXPECT_BITS_EQ(
      condition_number(
          condition_recipe("layer_norm", {1, 4}, {1, kGoldenNaN, 3, kGoldenInfinity}).make(1)),
      std::sqrt(5.0 / 4));
}

TEST(ConditionNumber, IsOneForLayersThatDoNotCenterAndAtLeastOneForAllLayers) {
  for (const char* layer : {"rms_norm", "scale_norm", "power_norm_v", "group_scaling"})
    EXPECT_EQ(condition_number(condition_recipe(layer, {2, 2}, {9, 11, 1, 3}).make(1)), 1) << layer;
  EXPECT_EQ(condition_number(condition_recipe("batch_norm", {2, 1}, {9, 11}).inference().make(1)),
            1);
  EXPECT_EQ(condition_number(condition_recipe("layer_norm", {1, 2}, {0, 0}).make(1)), 1);
}

TEST(ConditionNumber, IsThatOfTheWorstRowInBlocksOfRows) {
  const Case c = plain_recipe("layer_norm", {70, 512})
                     .x([](std::size_t i, double v) { return i / 512 == 60 ? v + 1e4 : v; })
                     .make(1);
  ASSERT_GT(RowBlocks(c).count(), 1u);
  EXPECT_GT(condition_number(c), 1e3);
  EXPECT_EQ(condition_number(c), condition_number(select_rows(c, std::vector<std::size_t>{60})));
}

}  // namespace
}  // namespace normproof::verification::golden::certify
