#include "verification/checks/elementary/exponent_range.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

namespace normproof::verification::checks::elementary {
namespace {

/// Computes `2^exponent` in MPFR with the 53 digits of double and the exponent range of the current
/// scope.
double compute_power_of_two(long exponent) {
  mpfr_t x;
  mpfr_init2(x, 53);
  const int inexact = mpfr_set_ui_2exp(x, 1, exponent, MPFR_RNDN);
  mpfr_subnormalize(x, mpfr_check_range(x, inexact, MPFR_RNDN), MPFR_RNDN);
  const double result = mpfr_get_d(x, MPFR_RNDN);
  mpfr_clear(x);
  return result;
}

TEST(ExponentRange, IsSetOnlyWithinItsScope) {
  const mpfr_exp_t least = mpfr_get_emin(), largest = mpfr_get_emax();
  {
    const ExponentRange double_range(-1073, 1024);
    EXPECT_EQ(compute_power_of_two(-1074), 0x1p-1074);
    EXPECT_EQ(compute_power_of_two(1023), 0x1p1023);
    EXPECT_EQ(compute_power_of_two(1024), std::numeric_limits<double>::infinity());
    {
      const ExponentRange half_range(-23, 16);
      EXPECT_EQ(compute_power_of_two(15), 32768);
      EXPECT_EQ(compute_power_of_two(16), std::numeric_limits<double>::infinity());
      EXPECT_EQ(compute_power_of_two(-24), 0x1p-24);
      EXPECT_EQ(compute_power_of_two(-26), 0);
    }
    EXPECT_EQ(mpfr_get_emin(), -1073);
    EXPECT_EQ(mpfr_get_emax(), 1024);
  }
  EXPECT_EQ(mpfr_get_emin(), least);
  EXPECT_EQ(mpfr_get_emax(), largest);
}

TEST(ExponentRange, IsRestoredIfAnExceptionLeavesTheScope) {
  const mpfr_exp_t least = mpfr_get_emin();
  try {
    const ExponentRange range(-10, 10);
    throw std::runtime_error("");
  } catch (const std::runtime_error&) {
    EXPECT_EQ(mpfr_get_emin(), least);
  }
}

}  // namespace
}  // namespace normproof::verification::checks::elementary
