#include "ref/numeric/pi.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ref/numeric/elementary.hpp"

namespace normproof::ref::numeric {
namespace {

// The tests compute pi by Machin's formula, so that they do not depend on a constant of a library.
constexpr int kTerms = 200;
template <class T>
T compute_pi_by_machin() {
  const auto arctangent_of_inverse = [](int n) {
    T sum(0), power = T(1) / n;
    for (int k = 0; k < kTerms; ++k) {
      sum += power / (k % 2 == 0 ? 2 * k + 1 : -(2 * k + 1));
      power /= n * n;
    }
    return sum;
  };
  return 16 * arctangent_of_inverse(5) - 4 * arctangent_of_inverse(239);
}

template <class T>
oracle100 ulp_of_pi() {
  return oracle100(2 * std::numeric_limits<T>::epsilon());  // 2 <= pi < 4
}

// Each term is rounded three times, for the power, the quotient and the sum. Each rounding error is
// at most half an ulp of a number below 1. The two sums are then multiplied by 16 and 4.
TEST(Pi, AgreesWithMachinsFormula) {
  const oracle100 exact = compute_pi_by_machin<oracle100>();
  const oracle100 error_of_machin =
      oracle100(3 * kTerms * (16 + 4)) * std::numeric_limits<oracle100>::epsilon() / 2;
  EXPECT_LE(abs(pi<oracle100>() - exact), error_of_machin + ulp_of_pi<oracle100>() / 2);
  EXPECT_LE(abs(oracle100(pi<oracle50>()) - exact), error_of_machin + ulp_of_pi<oracle50>() / 2);
  EXPECT_EQ(pi<dual>().value, pi<oracle50>());
  EXPECT_EQ(pi<dual>().derivative, 0);
}

TEST(Pi, IntervalAndBallContainPiAndAreNarrow) {
  const interval by_interval = pi<interval>();
  EXPECT_LE(oracle100(numeric::mp::lower(by_interval)), pi<oracle100>());
  EXPECT_GE(oracle100(numeric::mp::upper(by_interval)), pi<oracle100>());
  EXPECT_LE(oracle100(numeric::mp::width(by_interval)), ulp_of_pi<oracle50>());
  EXPECT_LT(enclose(pi<ball>()).lower, pi<oracle100>());
  EXPECT_GT(enclose(pi<ball>()).upper, pi<oracle100>());
  // The radius is at most one ulp, and the difference of two enclosures is twice as wide.
  const auto difference = enclose(pi<ball>() - pi<ball>());
  EXPECT_GT(difference.upper, 0);
  EXPECT_LE(difference.upper, std::ldexp(4.0, 2 - static_cast<int>(ball::precision())));
}

}  // namespace
}  // namespace normproof::ref::numeric
