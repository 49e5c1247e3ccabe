#include "ref/numeric/fixed_point.hpp"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <cmath>
#include <limits>

#include "ref/numeric/elementary_tables.hpp"
#include "ref/numeric/random.hpp"
#include "ref/numeric/real.hpp"

namespace normproof::ref::numeric {
namespace {

// This type is so wide that sums and products of the numbers in these tests are exact.
using Exact = mp::number<mp::mpfr_float_backend<4000>, mp::et_off>;

Exact exact_power_of_two(int exponent) {
  return ldexp(Exact(1), exponent);
}

Exact exact_value(const FixedPoint& a) {
  Exact v(0);
  for (int i = 0; i < a.limbs(); ++i) v += ldexp(Exact(a.limb(i)), 64 * (i - a.limbs() + 1));
  return v;
}

// Checks that |value - exact| is at most `error` units in the last place.
void expect_within_error(const FixedPoint& a, const Exact& exact, const char* what) {
  const Exact distance = ldexp(abs(exact_value(a) - exact), 64 * (a.limbs() - 1));
  EXPECT_LE(distance, Exact(a.error())) << what << " with " << a.limbs() << " limbs";
  EXPECT_LE(a.error(), std::uint64_t{1} << 40) << what << ": the bound says nothing";
}

// A random fixed-point number with an error bound, and an exact number within this error.
struct ExactAndFixedPointNumber {
  FixedPoint number;
  Exact point;
};
ExactAndFixedPointNumber random_fixed_point(const RandomStream& stream, std::uint64_t i, int limbs,
                                            int integer_bits) {
  FixedPoint a = FixedPoint::from_double(limbs, stream.uniform(8 * i) + 0x1p-60, integer_bits);
  for (int k = 1; k < limbs; ++k) {
    FixedPoint part = FixedPoint::from_double(limbs, stream.uniform(8 * i + 1), -53 * k);
    a += part;
  }
  const FixedPoint before = a;
  const std::uint64_t error = stream.below(8 * i + 2, 1000);
  a.add_error(error);
  const Exact offset = Exact(2 * stream.uniform(8 * i + 3) - 1) * Exact(error);
  return {a, exact_value(before) + ldexp(offset, -64 * (limbs - 1))};
}

TEST(FixedPointArithmetic, EveryOperationEnclosesTheExactResult) {
  const RandomStream stream(1, "fixed point");
  std::uint64_t i = 0;
  for (const int limbs : {2, 3, 4, 8, 33}) {
    for (int round = 0; round < 200; ++round) {
      const ExactAndFixedPointNumber a = random_fixed_point(stream, i++, limbs, 5),
                                     b = random_fixed_point(stream, i++, limbs, 5);
      expect_within_error(FixedPoint(a.number) += b.number, a.point + b.point, "sum");
      const bool larger = a.number.at_least(b.number);
      const ExactAndFixedPointNumber &up = larger ? a : b, &low = larger ? b : a;
      expect_within_error(FixedPoint(up.number) -= low.number, up.point - low.point, "difference");
      expect_within_error(a.number * b.number, a.point * b.point, "product");
      const std::uint32_t small = 1 + static_cast<std::uint32_t>(stream.below(8 * i + 5, 1000));
      expect_within_error(FixedPoint(a.number) *= small, a.point * small, "multiple");
      expect_within_error(FixedPoint(a.number) /= small, a.point / small, "quotient by an integer");
      const int bits = static_cast<int>(stream.below(8 * i + 6, 150));
      expect_within_error(FixedPoint(a.number) >>= bits, ldexp(a.point, -bits), "shift");
      ExactAndFixedPointNumber denominator = random_fixed_point(stream, i++, limbs, round % 40);
      denominator.number += FixedPoint(limbs, 1);
      denominator.point += 1;
      expect_within_error(reciprocal(denominator.number), 1 / denominator.point, "reciprocal");
    }
  }
}

TEST(FixedPointArithmetic, ConversionFromDoubleIsExactIfTheBitsSuffice) {
  for (const double x : {1.0, 0x1.fffffffffffffp+9, 0x1.8p-60, 745.25}) {
    const FixedPoint a = FixedPoint::from_double(4, -x);
    EXPECT_EQ(a.error(), 0u);
    EXPECT_EQ(exact_value(a), Exact(x));
  }
  const FixedPoint cut = FixedPoint::from_double(2, 0x1.8p-64);
  EXPECT_EQ(cut.error(), 1u);
  EXPECT_EQ(exact_value(cut), exact_power_of_two(-64));
  EXPECT_EQ(exact_value(FixedPoint::from_double(3, 0x1p-1074, 1060)), exact_power_of_two(-14));
}

TEST(FixedPointArithmetic, ConstantsOfFewerLimbsAreTruncated) {
  for (const int limbs : {2, 5, 33}) {
    const FixedPoint ln2(limbs, kLn2, kConstantLimbs);
    EXPECT_EQ(ln2.error(), 1u);
    const Exact distance = log(Exact(2)) - exact_value(ln2);
    EXPECT_GE(distance, 0);
    EXPECT_LT(distance, exact_power_of_two(-64 * (limbs - 1)));
  }
}

TEST(FixedPointArithmetic, RoundsToNearestEvenAndReportsUndecidedRoundings) {
  double y = 0;
  const auto rounds_to = [&](double x, int exponent, double expected) {
    EXPECT_TRUE(FixedPoint::from_double(4, x).round(exponent, &y));
    EXPECT_EQ(y, expected);
  };
  rounds_to(1.5, 0, 1.5);
  rounds_to(1.5, -1075, std::numeric_limits<double>::denorm_min());
  rounds_to(1.0, -1075, 0);  // the midpoint of 0 and the smallest number: ties to even
  rounds_to(1.5, -1074, 2 * std::numeric_limits<double>::denorm_min());
  rounds_to(0x1.fffffffffffffp+0, 1023, std::numeric_limits<double>::max());
  rounds_to(0x1.fffffffffffffp+0, -1023, 0x1p-1022);
  rounds_to(1.0, 1024, std::numeric_limits<double>::infinity());
  rounds_to(1.0, -3000, 0);

  FixedPoint midpoint(4, 1);
  midpoint += FixedPoint::from_double(4, 0x1p-53);
  EXPECT_TRUE(midpoint.round(0, &y));
  EXPECT_EQ(y, 1);
  midpoint.add_error(1);
  EXPECT_FALSE(midpoint.round(0, &y));
  midpoint += FixedPoint::from_double(4, 0x1p-100);
  EXPECT_TRUE(midpoint.round(0, &y));
  EXPECT_EQ(y, 1 + 0x1p-52);

  FixedPoint undecided_number(4, 1);
  undecided_number.add_error(~std::uint64_t{0});
  EXPECT_FALSE(undecided_number.round(0, &y));
}

// MPFR rounds the same numbers, including subnormal and overflowing results.
TEST(FixedPointArithmetic, RoundAgreesWithMpfr) {
  const RandomStream stream(2, "fixed point rounding");
  const mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
  for (std::uint64_t i = 0; i < 3000; ++i) {
    FixedPoint exact(3);
    exact += FixedPoint::from_double(3, stream.uniform(8 * i + 7), -60);
    exact += FixedPoint::from_double(3, stream.uniform(8 * i + 6), 1);
    const int exponent = static_cast<int>(stream.below(8 * i + 5, 2200)) - 1100;
    double y = 0;
    ASSERT_TRUE(exact.round(exponent, &y));
    const Exact scaled = ldexp(exact_value(exact), exponent);
    mpfr_set_emin(-1073);
    mpfr_set_emax(1024);
    mpfr_t judge;
    mpfr_init2(judge, 53);
    const int inexact = mpfr_set(judge, scaled.backend().data(), MPFR_RNDN);
    mpfr_subnormalize(judge, mpfr_check_range(judge, inexact, MPFR_RNDN), MPFR_RNDN);
    EXPECT_EQ(y, mpfr_get_d(judge, MPFR_RNDN)) << exponent;
    mpfr_clear(judge);
    mpfr_set_emin(emin);
    mpfr_set_emax(emax);
  }
}

}  // namespace
}  // namespace normproof::ref::numeric
