#include "ref/numeric/pi.hpp"

#include <gtest/gtest.h>

#include "ref/numeric/elementary.hpp"

namespace normproof::ref::numeric {
namespace {

// Machin's formula, with nothing shared with a library's constant.
template <class T>
T machin() {
  const auto arctangent_of_inverse = [](int n) {
    T sum(0), power = T(1) / n;
    for (int k = 0; k < 200; ++k) {
      sum += power / (k % 2 == 0 ? 2 * k + 1 : -(2 * k + 1));
      power /= n * n;
    }
    return sum;
  };
  return 16 * arctangent_of_inverse(5) - 4 * arctangent_of_inverse(239);
}

TEST(Pi, AgreesWithMachinsFormula) {
  const oracle100 exact = machin<oracle100>();
  EXPECT_LE(abs(pi<oracle100>() - exact), oracle100(1e-98));
  EXPECT_LE(abs(oracle100(pi<oracle50>()) - exact), oracle100(4e-50));
  EXPECT_EQ(pi<dual>().value, pi<oracle50>());
  EXPECT_EQ(pi<dual>().derivative, 0);
}

TEST(Pi, IsEnclosedNarrowly) {
  const interval by_interval = pi<interval>();
  EXPECT_LE(oracle100(numeric::mp::lower(by_interval)), pi<oracle100>());
  EXPECT_GE(oracle100(numeric::mp::upper(by_interval)), pi<oracle100>());
  EXPECT_LE(numeric::mp::width(by_interval), 1e-49);
  EXPECT_LT(enclose(pi<ball>()).lower, pi<oracle100>());
  EXPECT_GT(enclose(pi<ball>()).upper, pi<oracle100>());
  const auto error = enclose(pi<ball>() - pi<ball>());
  EXPECT_GT(error.upper, 0);
  EXPECT_LE(error.upper, 1e-37);
}

}  // namespace
}  // namespace normproof::ref::numeric
