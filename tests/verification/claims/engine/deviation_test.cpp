#include "verification/claims/engine/deviation.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ref/numeric/random.hpp"

namespace normproof::verification::claims::engine {
namespace {

TEST(DeviationBound, MatchesHandComputation) {
  Deviation one;
  one.add(3, 0.5);
  one.add(0.5, 2, 2);  // V = 4 = 2^2, c = 2 = 2^1
  const double nats = 25 + std::log(3 * 4) + std::log(2 * 3);
  EXPECT_DOUBLE_EQ(one.bound(), std::sqrt(2 * 4 * nats) + 2 * nats);
}

TEST(DeviationBound, RoundsItsArgumentsUpToPowersOfTwo) {
  Deviation below, above;
  below.add(5, 1);
  above.add(8, 1);
  EXPECT_EQ(below.bound(), above.bound());
  above.add(0.001, 1);
  EXPECT_GT(above.bound(), below.bound());
}

// Returns the logarithm of the bound `exp(t^2 v/(2 (1 - c t)))` of a moment generating function. v
// is the variance and c the scale of the increment.
double moment_bound_exponent(const Increment& increment, double t) {
  return t * t * increment.variance / (2 * (1 - increment.scale * std::fabs(t)));
}

TEST(MomentGeneratingFunctionBound, HoldsForTheSquareOfReluOfANormalNumber) {
  for (int k = -9; k <= 9; ++k) {
    if (k == 0) continue;
    const double t = k / 20.0;
    const double exact = std::log(0.5 + 0.5 / std::sqrt(1 - 2 * t)) - t / 2;
    EXPECT_LE(exact, moment_bound_exponent(relu_square_increment(), t)) << t;
  }
}

TEST(MomentGeneratingFunctionBound, HoldsForANoncentralSquare) {
  for (const double x2 : {0.0, 1.0, 50.0})
    for (const double s2 : {0.1, 1.0, 4.0})
      for (const std::size_t d : {1u, 8u}) {
        const Increment increment = noncentral_square_increment(x2, s2, d);
        for (int k = -9; k <= 9; ++k) {
          if (k == 0) continue;
          const double tau = k / 20.0, t = tau / s2;
          const auto width = static_cast<double>(d);
          const double exact =
              t * x2 * (1 / (1 - 2 * tau) - 1) - width / 2 * std::log1p(-2 * tau) - width * tau;
          EXPECT_LE(exact, moment_bound_exponent(increment, t)) << x2 << " " << s2 << " " << tau;
        }
      }
}

TEST(MomentGeneratingFunctionBound, HoldsForABiasedCoin) {
  const Increment increment = bounded_increment(0.09, 1);  // 1 with probability 0.1
  for (int k = -9; k <= 9; ++k) {
    const double t = k / 4.0;
    EXPECT_LE(std::log(0.9 + 0.1 * std::exp(t)) - 0.1 * t, moment_bound_exponent(increment, t))
        << t;
  }
}

// A bound far above all draws would hide faults. A mean that is 20 % off must exceed it.
TEST(DeviationBound, IsTightEnoughToDetectAWrongMean) {
  Deviation deviation;
  double sum = 0;
  const ref::numeric::RandomStream stream(3, "deviation_test");
  constexpr std::size_t kDraws = 20000;
  for (std::size_t i = 0; i < kDraws; ++i) {
    const double v = std::max(stream.normal(i), 0.0);
    sum += v * v;
  }
  deviation.add(relu_square_increment().variance, relu_square_increment().scale, kDraws);
  EXPECT_LE(std::fabs(sum - kDraws * 0.5), deviation.bound());
  EXPECT_GT(std::fabs(1.2 * sum - kDraws * 0.5), deviation.bound());
}

}  // namespace
}  // namespace normproof::verification::claims::engine
