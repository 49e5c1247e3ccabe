#include "verification/golden/certify/block_scales.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/numeric/arb.hpp"

namespace normproof::verification::golden::certify {
namespace {

using ref::numeric::ball;
using ::testing::ElementsAre;

const ref::numeric::FloatFormat& e4m3() {
  return float_format_info(ref::numeric::FloatType::float8_e4m3fn);
}

ball make_ball(double middle, double radius) {
  ball x(middle);
  mag_set_d(arb_radref(x.get()), radius);
  return x;
}

TEST(BlockScales, FollowFromTheLargestMagnitudeOfEachBlock) {
  std::vector<ball> row(34, ball(0.25));
  row[5] = ball(-511.5);  // floor(log2 511.5) is 8
  row[32] = ball(0.75);
  row[33] = ball(1);
  EXPECT_THAT(*block_scales(row, corpus::ScaleBlocks({34}), e4m3()), ElementsAre(1, 0x1p-8));
  row[5] = ball(-512);
  EXPECT_THAT(*block_scales(row, corpus::ScaleBlocks({34}), e4m3()), ElementsAre(2, 0x1p-8));
}

TEST(BlockScales, AreMinimalForBlocksOfZeros) {
  EXPECT_THAT(*block_scales(std::vector<ball>(3, ball(0)), corpus::ScaleBlocks({3}), e4m3()),
              ElementsAre(0x1p-127));
  EXPECT_THAT(*block_scales(std::vector<ball>(3, ball(0x1p-130)), corpus::ScaleBlocks({3}), e4m3()),
              ElementsAre(0x1p-127));
}

TEST(BlockScales, AreUndecidedIfAnEnclosureStraddlesAPowerOfTwo) {
  EXPECT_FALSE(block_scales({make_ball(4, 0x1p-40), ball(1)}, corpus::ScaleBlocks({2}), e4m3()));
  EXPECT_THAT(*block_scales({make_ball(5, 0x1p-40), ball(1)}, corpus::ScaleBlocks({2}), e4m3()),
              ElementsAre(0x1p-6));
  // Another element of the block decides the scale.
  EXPECT_THAT(*block_scales({make_ball(4, 0x1p-40), ball(6)}, corpus::ScaleBlocks({2}), e4m3()),
              ElementsAre(0x1p-6));
}

TEST(TensorBlockScales, AreRoundedToE4m3AfterTheDivisionByTheScaleOfTheTensor) {
  const auto& e2m1 = float_format_info(ref::numeric::FloatType::float4_e2m1fn);
  std::vector<ball> row(34, ball(0.25));
  row[3] = ball(-6);
  row[16] = ball(6.3);  // 1.05 in units of 6 rounds to 1
  row[33] = ball(6.4);  // 1.0667 rounds to 1.125
  const corpus::ScaleBlocks blocks({34}, corpus::kBlockOfTwoScales);
  EXPECT_THAT(*tensor_block_scales(row, blocks, e2m1, 1), ElementsAre(1, 1, 1.125));
  EXPECT_THAT(*tensor_block_scales(row, blocks, e2m1, 0.5), ElementsAre(2, 2, 2.25));
  EXPECT_THAT(*tensor_block_scales(row, blocks, e2m1, 0x1p-10), ElementsAre(448, 448, 448));
  EXPECT_THAT(*tensor_block_scales(row, blocks, e2m1, 0x1p20), testing::Each(0x1p-9));
  row[3] = make_ball(6.375, 0x1p-40);  // 1.0625 is between two numbers of e4m3
  EXPECT_FALSE(tensor_block_scales(row, blocks, e2m1, 1));
}

TEST(GroupScales, AreTheLargestMagnitudeByTheLargestNumber) {
  const std::vector<ball> row{ball(1), ball(-7), ball(0.5), ball(14), ball(-3)};
  const auto scales = group_scales(row, corpus::ScaleBlocks({5}, 2), e4m3(), {});
  ASSERT_TRUE(scales);
  EXPECT_THAT(scales->value, ElementsAre(0x1p-6, 0x1p-5, static_cast<double>(3.0F / 448)));
  EXPECT_EQ(scales->remainder[0], 0);
  EXPECT_NEAR(scales->value[2] + scales->remainder[2], 3.0 / 448, 0x1p-60);
}

TEST(GroupScales, StayWithinTheLimits) {
  const std::vector<ball> row{ball(1), ball(-7), ball(0), ball(0)};
  EXPECT_THAT(group_scales(row, corpus::ScaleBlocks({4}, 2), e4m3(), {.upper = 3.5})->value,
              ElementsAre(0x1p-7, 1));
  EXPECT_THAT(group_scales(row, corpus::ScaleBlocks({4}, 2), e4m3(), {.least = 0x1p-5})->value,
              ElementsAre(0x1p-5, 0x1p-5));
}

TEST(GroupScales, AreUndecidedIfAnEnclosureHoldsAMidpoint) {
  EXPECT_FALSE(group_scales({make_ball(448 * (1 + 0x1p-24), 0x1p-40)}, corpus::ScaleBlocks({1}, 1),
                            e4m3(), {}));
  EXPECT_THAT(group_scales({ball(448)}, corpus::ScaleBlocks({1}, 1), e4m3(), {})->value,
              ElementsAre(1));
}

TEST(GroupScales, AreRoundedUpToPowersOfTwoIfTheLimitsSaySo) {
  const corpus::ScaleLimits powers = {.are_powers_of_two = true};
  const std::vector<ball> row{ball(448), ball(-7), ball(449), ball(14)};
  const auto scales = group_scales(row, corpus::ScaleBlocks({4}, 2), e4m3(), powers);
  ASSERT_TRUE(scales);
  EXPECT_THAT(scales->value, ElementsAre(1, 2));
  EXPECT_THAT(scales->remainder, ElementsAre(0, 0));
  EXPECT_FALSE(
      group_scales({make_ball(448, 0x1p-40)}, corpus::ScaleBlocks({1}, 1), e4m3(), powers));
  EXPECT_THAT(
      group_scales({make_ball(450, 0x1p-40)}, corpus::ScaleBlocks({1}, 1), e4m3(), powers)->value,
      ElementsAre(2));
}

TEST(GroupScales, OfOneBlockAreThoseOfTheLargestElement) {
  const corpus::ScaleBlocks whole({2, 2}, corpus::kWholeTensor);
  EXPECT_THAT(group_scales({ball(1), ball(-7), ball(2), ball(3.5)}, whole, e4m3(), {})->value,
              ElementsAre(0x1p-6));
}

}  // namespace
}  // namespace normproof::verification::golden::certify
