#include "ref/numeric/complex.hpp"

#include <gtest/gtest.h>

#include "ref/numeric/elementary.hpp"
#include "tests/verification/checks/compare/expect.hpp"
#include "tests/verification/checks/compare/slope.hpp"

namespace normproof::ref::numeric {
namespace {

using RationalComplex = Complex<rational>;
using verification::checks::compare::make_variable;
using verification::checks::compare::read_derivative;

/// Compares two numbers of 100 digits. They may differ by `2^-bits` times the magnitude.
verification::checks::compare::Comparison compare_leading_bits(const oracle100& got,
                                                               const oracle100& expected,
                                                               int bits) {
  const auto one = [](const oracle100& x) { return tensor::full_tensor<oracle100>({1}, x); };
  return verification::checks::compare::compare(one(got), one(expected),
                                                one(ldexp(abs(expected), -bits)));
}

TEST(Complex, FieldOperationsAreExact) {
  const RationalComplex a(rational(3), rational(-2)), b(rational(1, 2), rational(5));
  const auto expect = [](const RationalComplex& got, const rational& re, const rational& im) {
    EXPECT_EQ(got.re, re);
    EXPECT_EQ(got.im, im);
  };
  expect(a + b, rational(7, 2), 3);
  expect(a - b, rational(5, 2), -7);
  expect(a * b, rational(23, 2), 14);
  expect(a * b / b, 3, -2);
  expect(-a, -3, 2);
}

TEST(Complex, ComparisonsUseOnlyTheRealPart) {
  EXPECT_TRUE(RationalComplex(rational(1), rational(9)) <
              RationalComplex(rational(2), rational(-9)));
  EXPECT_TRUE(RationalComplex(rational(1), rational(9)) ==
              RationalComplex(rational(1), rational(-9)));
}

TEST(Complex, SquareOfTheSquareRootIsTheArgument) {
  const complex100 z(oracle100(0.3), oracle100(-1.7));
  const complex100 squared = square_root(z) * square_root(z);
  EXPECT_WITHIN(compare_leading_bits(squared.re, z.re, 325));
  EXPECT_WITHIN(compare_leading_bits(squared.im, z.im, 325));
  EXPECT_GT(square_root(z).re, 0);
  EXPECT_EQ(square_root(complex100(9)).re, 3);
  EXPECT_EQ(square_root(complex100(9)).im, 0);
  EXPECT_EQ(square_root(complex100(0)).im, 0);
}

/// Checks identities at a point far from the real axis. Formulas that hold only for small imaginary
/// parts would fail.
TEST(Complex, ElementaryFunctionsAreAnalyticContinuations) {
  const complex100 z(oracle100(0.75), oracle100(1.25));
  const complex100 back = log(exp(z));
  EXPECT_WITHIN(compare_leading_bits(back.re, z.re, 325));
  EXPECT_WITHIN(compare_leading_bits(back.im, z.im, 325));
  const complex100 up = exp(z), down = exp(-z), ratio = (up - down) / (up + down);
  EXPECT_WITHIN(compare_leading_bits(tanh(z).re, ratio.re, 325));
  EXPECT_WITHIN(compare_leading_bits(tanh(z).im, ratio.im, 325));
  // erf z = 2/sqrt(pi) sum_n (-1)^n z^(2n+1) / (n! (2n+1)). For |z| < 1.5, the terms after 200 are
  // negligible.
  complex100 sum(0), power = z;
  for (int n = 0; n < 200; ++n) {
    sum += power / complex100(2 * n + 1);
    power *= -z * z / complex100(n + 1);
  }
  oracle100 pi;
  mpfr_const_pi(pi.backend().data(), MPFR_RNDN);
  const complex100 erf_z = sum * complex100(oracle100(2 / square_root(pi)));
  EXPECT_WITHIN(compare_leading_bits(erf(z).re, erf_z.re, 320));
  EXPECT_WITHIN(compare_leading_bits(erf(z).im, erf_z.im, 320));
}

/// Compares 320 bits of derivatives by the complex step with known derivatives. The imaginary part
/// of the step is 2^-400 times the value.
TEST(Complex, ComplexStepGivesTheDerivative) {
  for (const double at : {-3.5, -0.25, 0.0, 0.5, 30.0}) {
    complex100 x(at);
    make_variable(x);
    const oracle100 e = exp(oracle100(at)), t = tanh(oracle100(at));
    EXPECT_WITHIN(compare_leading_bits(read_derivative(exp(x)), e, 325));
    EXPECT_WITHIN(compare_leading_bits(read_derivative(tanh(x)), 1 - t * t, at == 30 ? 240 : 320))
        << at;
    oracle100 pi;
    mpfr_const_pi(pi.backend().data(), MPFR_RNDN);
    const oracle100 slope = 2 * exp(oracle100(-at * at)) / square_root(pi);
    EXPECT_WITHIN(compare_leading_bits(read_derivative(erf(x)), slope, 325)) << at;
    EXPECT_WITHIN(compare_leading_bits(erf(x).re, erf(oracle100(at)), 325)) << at;
    if (at <= 0) continue;
    EXPECT_WITHIN(compare_leading_bits(read_derivative(log(x)), 1 / oracle100(at), 325)) << at;
    EXPECT_WITHIN(compare_leading_bits(read_derivative(square_root(x)),
                                       1 / (2 * square_root(oracle100(at))), 325))
        << at;
  }
  EXPECT_EQ(erf(complex100(0.5)).im, 0);
  complex100 far(1e6);
  make_variable(far);
  EXPECT_FALSE(is_finite(erf(far)));
  EXPECT_EQ(stop_gradient(far).im, 0);
  EXPECT_EQ(to_double(far), 1e6);
}

}  // namespace
}  // namespace normproof::ref::numeric
