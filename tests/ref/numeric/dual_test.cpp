#include "ref/numeric/dual.hpp"

#include <gtest/gtest.h>

#include "ref/numeric/elementary.hpp"

namespace normproof::ref::numeric {
namespace {

using RationalDual = Dual<rational>;

// The derivative of f(x) = (x^2 + 3) / (2 - x) is (2 x (2 - x) + x^2 + 3) / (2 - x)^2.
TEST(Dual, DerivativeOfARationalFunctionIsExact) {
  for (const int numerator : {-7, -1, 0, 1, 5, 11}) {
    const rational x(numerator, 3);
    const RationalDual v(x, rational(1));
    const RationalDual f = (v * v + RationalDual(3)) / (RationalDual(2) - v);
    EXPECT_EQ(f.value, (x * x + 3) / (2 - x));
    EXPECT_EQ(f.derivative, (2 * x * (2 - x) + x * x + 3) / ((2 - x) * (2 - x)));
  }
}

TEST(Dual, DifferentiatesNegationAndSubtraction) {
  const RationalDual v(rational(5), rational(2));
  EXPECT_EQ((-v).derivative, rational(-2));
  EXPECT_EQ((v - v).derivative, rational(0));
  EXPECT_EQ((RationalDual(1) - v).derivative, rational(-2));
}

TEST(Dual, DifferentiatesTheRootOfAPerfectSquare) {
  const dual root = square_root(dual(oracle50(9), oracle50(1)));
  EXPECT_EQ(root.value, oracle50(3));
  EXPECT_EQ(root.derivative, oracle50(1) / oracle50(6));
  EXPECT_EQ(square_root(dual(oracle50(0))).derivative, oracle50(0));
}

TEST(Dual, ComparisonsUseOnlyTheValue) {
  EXPECT_TRUE(RationalDual(rational(1), rational(9)) < RationalDual(rational(2), rational(-9)));
  EXPECT_TRUE(RationalDual(rational(1), rational(9)) == RationalDual(rational(1), rational(-9)));
}

}  // namespace
}  // namespace normproof::ref::numeric
