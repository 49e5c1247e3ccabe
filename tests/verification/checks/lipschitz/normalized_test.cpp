#include "verification/checks/lipschitz/normalized.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

namespace normproof::tests::verification::checks::lipschitz {
namespace {

using normproof::verification::checks::lipschitz::NormalizedJacobian;
using Vector = NormalizedJacobian::Vector;

constexpr double kRoundingTolerance = 0x1p-48;  // a few operations at 128 bits, one rounding up

TEST(NormalizedJacobian, VanishesForTwoElementsWithoutEps) {
  // variance 1, eps 3: rstd 1/2, delta 3/4
  const auto bound = NormalizedJacobian({2}, 3, true).at({0, 2});
  EXPECT_NEAR(bound.norm, 0.75, kRoundingTolerance);
  EXPECT_NEAR(bound.theory, 1, kRoundingTolerance);
  EXPECT_EQ(NormalizedJacobian({2}, 0, true).at({0, 2}).norm, 0);
  EXPECT_EQ(NormalizedJacobian({2}, 3, true).at({5}).norm, 0);
  // One gamma per feature: sqrt((9 + 16) / 2) rstd delta.
  EXPECT_NEAR(NormalizedJacobian({3, -4}, 3, true).at({0, 2}).norm, std::sqrt(12.5) * 0.375,
              kRoundingTolerance);
  EXPECT_NEAR(NormalizedJacobian({2}, 3, false).at({1}).norm, 0.75, kRoundingTolerance);
}

TEST(NormalizedJacobian, AttainsTheTheoreticalBoundIfAllGammasAreEqual) {
  const auto bound = NormalizedJacobian({-3}, 0, true).at({1, 1, -2});
  EXPECT_NEAR(bound.norm, 3 / std::sqrt(2), kRoundingTolerance);
  EXPECT_EQ(bound.norm, bound.theory);
  EXPECT_GE(bound.norm, 3 / std::sqrt(2));
}

TEST(NormalizedJacobian, IgnoresALargeGammaInTheDirectionOfXHat) {
  // x_hat points in the direction of the large gamma. The layer removes that direction, so only
  // gamma = 1 remains. The result is an upper bound; docs/derivations/lipschitz.md says how close
  // it is.
  constexpr double kEnclosureTolerance = 1e-9;
  const auto bound = NormalizedJacobian({5, 1, 1}, 0, false).at({3, 0, 0});
  EXPECT_NEAR(bound.norm, 1 / std::sqrt(3), kEnclosureTolerance);
  EXPECT_NEAR(bound.theory, 5 / std::sqrt(3), kRoundingTolerance);
}

TEST(NormalizedJacobian, NormOverABallWithAConstantRowIsOneOverRootEps) {
  const NormalizedJacobian jacobian({1}, 0.25, true);
  EXPECT_NEAR(jacobian.around({1, 1, -2}, 3).norm, 2, kRoundingTolerance);
  EXPECT_NEAR(jacobian.around({1, 1, -2}, std::sqrt(6) - std::sqrt(3)).norm, 1 / std::sqrt(1.25),
              kRoundingTolerance);
  EXPECT_EQ(NormalizedJacobian({1}, 0, true).around({1, 1, -2}, 3).norm,
            std::numeric_limits<double>::infinity());
  EXPECT_EQ(jacobian.steepest_points({1, 1, -2}, 3).front(), (Vector{0, 0, 0}));
  EXPECT_EQ(jacobian.steepest_points({1, 1, -2}, 3).back(), (Vector{1, 1, -2}));
}

TEST(NormalizedJacobian, NormOverASmallBallIsNearTheNormAtItsCenter) {
  const NormalizedJacobian jacobian({3, -1, 2, 0.5}, 1e-5, true);
  const Vector x = {1, -2, 0.5, 4};
  const double at = jacobian.at(x).norm;
  // Over such a small ball the relative change of the norm is less than ten radii.
  constexpr double kRadius = 1e-9, kChange = 10 * kRadius;
  EXPECT_GE(jacobian.around(x, kRadius).norm, at);
  EXPECT_LE(jacobian.around(x, kRadius).norm, at * (1 + kChange));
}

TEST(NormalizedJacobian, SteepestDirectionIsOrthogonalToXAndTheMean) {
  const auto dot = [](const Vector& a, const Vector& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  };
  for (const Vector& x : {Vector{4, -1, 7, 2}, Vector{3, 3, 3, 3}, Vector{0, 0, 0, 0}}) {
    const Vector centred = NormalizedJacobian({2}, 1, true).direction(x);
    EXPECT_EQ(dot(centred, {1, 1, 1, 1}), 0);
    EXPECT_EQ(dot(centred, x), 0);
    EXPECT_GT(dot(centred, centred), 0);
    const Vector plain = NormalizedJacobian({2}, 1, false).direction(x);
    EXPECT_EQ(dot(plain, x), 0);
    EXPECT_GT(dot(plain, plain), 0);
  }
}

}  // namespace
}  // namespace normproof::tests::verification::checks::lipschitz
