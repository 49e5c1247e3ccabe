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
  EXPECT_THAT(*block_scales(row, 34, e4m3()), ElementsAre(1, 0x1p-8));
  row[5] = ball(-512);
  EXPECT_THAT(*block_scales(row, 34, e4m3()), ElementsAre(2, 0x1p-8));
}

TEST(BlockScales, AreMinimalForBlocksOfZeros) {
  EXPECT_THAT(*block_scales(std::vector<ball>(3, ball(0)), 3, e4m3()), ElementsAre(0x1p-127));
  EXPECT_THAT(*block_scales(std::vector<ball>(3, ball(0x1p-130)), 3, e4m3()),
              ElementsAre(0x1p-127));
}

TEST(BlockScales, AreUndecidedIfAnEnclosureStraddlesAPowerOfTwo) {
  EXPECT_FALSE(block_scales({make_ball(4, 0x1p-40), ball(1)}, 2, e4m3()));
  EXPECT_THAT(*block_scales({make_ball(5, 0x1p-40), ball(1)}, 2, e4m3()), ElementsAre(0x1p-6));
  // Another element of the block decides the scale.
  EXPECT_THAT(*block_scales({make_ball(4, 0x1p-40), ball(6)}, 2, e4m3()), ElementsAre(0x1p-6));
}

}  // namespace
}  // namespace normproof::verification::golden::certify
