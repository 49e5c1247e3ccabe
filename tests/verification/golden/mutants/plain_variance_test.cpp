#include "verification/golden/mutants/plain_variance.hpp"

#include <gtest/gtest.h>

namespace normproof::verification::golden::mutants {
namespace {

const std::vector<double> kNumbers = {3, 1, 4, 1, 5, 9, 2, 6};  // mean 31/8
constexpr double kSquares = 423.0 / 8;

/// At most 100 operations, whose results stay below 64.
constexpr double kRounding = 100 * 64 * 0x1p-53;

TEST(WelfordSquares, AreThoseOfTheDistancesFromTheMeanInBlocksOfAnyWidth) {
  for (std::size_t width = 1; width <= 9; ++width)
    EXPECT_NEAR(welford_squares(kNumbers, width), kSquares, kRounding) << width;
  EXPECT_EQ(welford_squares(std::vector<double>{7}, 16), 0);
}

TEST(ShiftedVariance, LosesNothingFarFromZero) {
  Sites sites;
  const PlainArithmetic<float> arithmetic({.shifted = true}, sites);
  std::vector<float> far;
  for (const double v : kNumbers) far.push_back(static_cast<float>(v + 1e6));
  EXPECT_EQ(shifted_variance(far, arithmetic), kSquares / 8);
}

TEST(ShiftedVariance, IsTakenWithFusedMultiplyAddWhereTheStyleIs) {
  Sites sites;
  std::vector<float> parts;
  for (int i = 0; i < 50; ++i) parts.push_back(1 / static_cast<float>(i + 3));
  EXPECT_NE(shifted_variance(parts, PlainArithmetic<float>({.fused = true}, sites)),
            shifted_variance(parts, PlainArithmetic<float>({}, sites)));
}

}  // namespace
}  // namespace normproof::verification::golden::mutants
