#include "verification/checks/lipschitz/diagonal.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace normproof::tests::verification::checks::lipschitz {
namespace {

using normproof::verification::checks::lipschitz::DyTJacobian;
using normproof::verification::checks::lipschitz::RunningStatisticsJacobian;
using Vector = RunningStatisticsJacobian::Vector;

TEST(RunningStatisticsJacobian, IsConstant) {
  const RunningStatisticsJacobian jacobian(-3, 0.5, 0.0625);
  EXPECT_EQ(jacobian.at({1, 2}).norm, 4);  // 3 / sqrt(9/16)
  EXPECT_EQ(jacobian.around({1, 2}, 7).norm, 4);
  EXPECT_EQ(jacobian.at({1, 2}).theory, 4);
  EXPECT_EQ(jacobian.direction({1, 2}), (Vector{1, 0}));
  EXPECT_EQ(jacobian.steepest_points({1, 2}, 7), (std::vector<Vector>{{1, 2}}));
}

/// The allowed relative error. The enclosure is a few ulps wide: the library's cosh or exp may be
/// off by one ulp, and two operations follow.
constexpr double kLibraryTolerance = 16 * 0x1p-53;

TEST(DyTJacobian, IsLargestNearZero) {
  const DyTJacobian jacobian(-2, 0.5);
  const auto slope = [](double x) { return 1 / std::cosh(x / 2) / std::cosh(x / 2); };
  EXPECT_NEAR(jacobian.at({3, -1, 2}).norm, slope(1), kLibraryTolerance * slope(1));
  EXPECT_EQ(jacobian.at({3, -1, 2}).theory, 1);
  EXPECT_EQ(jacobian.direction({3, -1, 2}), (Vector{0, 1, 0}));
  EXPECT_NEAR(jacobian.around({3, -1, 2}, 0.25).norm, slope(0.75), kLibraryTolerance * slope(0.75));
  EXPECT_EQ(jacobian.around({3, -1, 2}, 1).norm, 1);
  EXPECT_EQ(jacobian.steepest_points({3, -1, 2}, 0.25).front(), (Vector{3, -0.75, 2}));
  EXPECT_EQ(jacobian.steepest_points({3, -1, 2}, 5).front(), (Vector{3, -0.0, 2}));
}

TEST(DyTJacobian, IsAccurateFarFromZero) {
  // 4 exp(-200) (1 - 2 exp(-200) + ...)
  EXPECT_NEAR(DyTJacobian(1, 1).at({100}).norm / (4 * std::exp(-200)), 1, kLibraryTolerance);
}

}  // namespace
}  // namespace normproof::tests::verification::checks::lipschitz
