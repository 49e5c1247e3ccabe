#include "verification/golden/plain/plain_variance.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace normproof::verification::golden::plain {
namespace {

const std::vector<double> kNumbers = {3, 1, 4, 1, 5, 9, 2, 6};  // mean 31/8
constexpr double kSumOfSquares = 423.0 / 8;

/// The rounding error of at most 100 operations whose results are below 64.
constexpr double kRounding = 100 * 64 * 0x1p-53;

TEST(WelfordStatistics, EqualTwoPassStatisticsForAnyBlockWidth) {
  for (std::size_t width = 1; width <= 9; ++width) {
    const auto own = welford_statistics(kNumbers, width);
    EXPECT_NEAR(own.mean, 31.0 / 8, kRounding) << width;
    EXPECT_NEAR(own.variance, kSumOfSquares / 8, kRounding) << width;
  }
  EXPECT_EQ(welford_statistics(std::vector<double>{7}, 16).mean, 7);
  EXPECT_EQ(welford_statistics(std::vector<double>{7}, 16).variance, 0);
}

/// The mean of the two numbers is small compared with them. Their sum rounds once, whereas
/// Welford's update `x_1 + (x_2 - x_1)/2` rounds several times.
TEST(WelfordStatistics, AreWithinTheWelfordBoundForAMeanNearZero) {
  const std::vector<float> x = {1 + 0x1p-23F, -1 + 0x1p-24F};
  const double exact = (static_cast<double>(x[0]) + x[1]) / 2;
  const double off = std::fabs(welford_statistics(x, 2).mean - exact);
  const ref::numeric::AnyOrderArithmetic scope(
      ref::numeric::arithmetic_of_type(ref::numeric::FloatType::float32));
  const std::vector<any_order_error> same = {x[0], x[1]};
  const any_order_error sum = (same[0] + same[1]) / any_order_error(2);
  EXPECT_GT(off, sum.error);
  const any_order_error mean = welford_statistics(same, 2).mean;
  EXPECT_EQ(mean.value, sum.value);
  EXPECT_LE(off, mean.error);
  EXPECT_LE(mean.error, sum.error + 3 * 0x1p-24 * 2.001);
}

TEST(ShiftedStatistics, AreAccurateFarFromZero) {
  Sites sites;
  const PlainArithmetic<float> arithmetic({.shifted = true}, sites);
  std::vector<float> far;
  for (const double v : kNumbers) far.push_back(static_cast<float>(v + 1e6));
  EXPECT_EQ(shifted_statistics(far, arithmetic).variance, kSumOfSquares / 8);
  EXPECT_EQ(shifted_statistics(far, arithmetic).mean, 1e6F + 31.0F / 8);
}

TEST(ShiftedStatistics, UseFusedMultiplyAddIfTheStyleDoes) {
  Sites sites;
  std::vector<float> parts;
  for (int i = 0; i < 50; ++i) parts.push_back(1 / static_cast<float>(i + 3));
  const auto variance_in = [&](const Style& style) {
    return shifted_statistics(parts, PlainArithmetic<float>(style, sites)).variance;
  };
  EXPECT_NE(variance_in({.fused = true}), variance_in({}));
}

}  // namespace
}  // namespace normproof::verification::golden::plain
