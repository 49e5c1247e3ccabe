#include "verification/checks/compare/ulp.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "tests/ref/numeric/special_values.hpp"

namespace normproof::verification::checks::compare {
namespace {

using ref::numeric::kInfinity;
using ref::numeric::kNaN;
constexpr double kLargestDouble = std::numeric_limits<double>::max();
constexpr double kSmallestSubnormal = std::numeric_limits<double>::denorm_min();

TEST(UlpDistance, NeighborsHaveDistanceOne) {
  EXPECT_EQ(ulp_distance(1, 1 + 0x1p-52), 1u);
  EXPECT_EQ(ulp_distance(1, 1 - 0x1p-53), 1u);
  EXPECT_EQ(ulp_distance(-1, -1 - 0x1p-52), 1u);
}

TEST(UlpDistance, ZerosHaveDistanceZero) {
  EXPECT_EQ(ulp_distance(0.0, -0.0), 0u);
  EXPECT_EQ(ulp_distance(0.0, kSmallestSubnormal), 1u);
  EXPECT_EQ(ulp_distance(-kSmallestSubnormal, kSmallestSubnormal), 2u);
}

TEST(UlpDistance, CountsSubnormalsLikeOtherNumbers) {
  EXPECT_EQ(ulp_distance(0x1p-1022, 0x1p-1022 - kSmallestSubnormal), 1u);
  EXPECT_EQ(ulp_distance(0.0, 0x1p-1022), std::uint64_t{1} << 52);
}

TEST(UlpDistance, InfinityIsOneUlpBeyondTheLargestFiniteNumber) {
  EXPECT_EQ(ulp_distance(kLargestDouble, kInfinity), 1u);
  EXPECT_EQ(ulp_distance(kInfinity, kInfinity), 0u);
  EXPECT_EQ(ulp_distance(-kInfinity, kInfinity), 2 * 0x7ff0000000000000u);
}

TEST(UlpDistance, NaNIsInfinitelyFarFromEverything) {
  EXPECT_EQ(ulp_distance(kNaN, kNaN), kInfiniteUlpDistance);
  EXPECT_EQ(ulp_distance(kNaN, 1), kInfiniteUlpDistance);
  EXPECT_EQ(ulp_distance(kInfinity, -kNaN), kInfiniteUlpDistance);
  EXPECT_GT(kInfiniteUlpDistance, ulp_distance(-kInfinity, kInfinity));
}

TEST(UlpDistance, UlpIsCorrectInEveryBinade) {
  EXPECT_EQ(ulp(1.0), 0x1p-52);
  EXPECT_EQ(ulp(-1.75), 0x1p-52);
  EXPECT_EQ(ulp(0.0), kSmallestSubnormal);
  EXPECT_EQ(ulp(kSmallestSubnormal), kSmallestSubnormal);
  EXPECT_EQ(ulp(kLargestDouble), 0x1p971);
  EXPECT_TRUE(std::isnan(ulp(kInfinity)));
  EXPECT_TRUE(std::isnan(ulp(kNaN)));
  for (int exponent = -1074; exponent <= 1023; ++exponent) {
    const double x = std::ldexp(1.0, exponent);
    EXPECT_EQ(x + ulp(x), std::nextafter(x, kInfinity)) << exponent;
  }
}

double draw_double() {
  const auto bits = *rc::gen::arbitrary<std::uint64_t>();
  return std::bit_cast<double>(bits);
}

RC_GTEST_PROP(UlpDistanceProperty, CountsStepsBetweenNeighbors, ()) {
  double x = draw_double();
  RC_PRE(std::isfinite(x));
  const auto steps = *rc::gen::inRange(0, 50);
  double y = x;
  for (int i = 0; i < steps; ++i) y = std::nextafter(y, kInfinity);
  // nextafter goes from the smallest negative subnormal number to -0, and then to the smallest
  // positive one. These are two steps, and ulp_distance counts two as well.
  if (std::isfinite(y)) RC_ASSERT(ulp_distance(x, y) == static_cast<std::uint64_t>(steps));
}

RC_GTEST_PROP(UlpDistanceProperty, IsAMetricOnNumbers, ()) {
  const double a = draw_double();
  const double b = draw_double();
  const double c = draw_double();
  RC_PRE(!std::isnan(a) && !std::isnan(b) && !std::isnan(c));
  RC_ASSERT(ulp_distance(a, b) == ulp_distance(b, a));
  RC_ASSERT((ulp_distance(a, b) == 0) == (a == b));
  // Distances reach 2^64 - 2^53. Their halves cannot overflow.
  RC_ASSERT(ulp_distance(a, c) / 2 <= ulp_distance(a, b) / 2 + ulp_distance(b, c) / 2 + 1);
}

TEST(SameNumber, AcceptsSameBitsOrTwoNaNs) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(is_same_number(1, 1));
  EXPECT_TRUE(is_same_number(nan, -nan));
  EXPECT_FALSE(is_same_number(0.0, -0.0));
  EXPECT_FALSE(is_same_number(1, 1 + 0x1p-52));
  EXPECT_FALSE(is_same_number(nan, 1));
}

}  // namespace
}  // namespace normproof::verification::checks::compare
