#include "verification/golden/certify/nearest.hpp"

#include <mpfr.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ref/numeric/arb.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/checks/elementary/exponent_range.hpp"

namespace normproof::verification::golden::certify {

using ref::io::DType;

namespace {

/// A binary number format. `digits` is the number of significant bits. `least` is the exponent of
/// the smallest subnormal number, and `largest` is the exponent of the largest number. Exponents
/// follow the convention of MPFR: a number with exponent e is at least 2^(e-1) and less than 2^e in
/// magnitude. `overflow_value` is the result for values out of range.
struct BinaryFormat {
  mpfr_prec_t digits;
  mpfr_exp_t least, largest;
  double largest_number, overflow_value;
};

BinaryFormat binary_format(DType dtype, ref::numeric::Overflow overflow) {
  const auto type = ref::io::float_type(dtype);
  if (!type)
    ref::numeric::contract_failure("nearest", "dtype", "is no float",
                                   ref::io::list_dtypes(ref::io::is_float),
                                   ref::numeric::Clause::C1);
  const ref::numeric::FloatFormat& row = float_format_info(*type);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  const double overflow_value = overflow == ref::numeric::Overflow::saturate ? row.largest
                                : row.has_infinity                           ? kInfinity
                                                                             : kNaN;
  return {row.digits, row.min_exponent - row.digits + 2, row.max_exponent + 1, row.largest,
          overflow_value};
}

constexpr slong kTieAccuracyBits = 1100;

/// Whether rounding x to `format.digits` bits gives the same result as rounding x to the format.
/// This is true if neither x nor its rounded value is subnormal or out of range.
bool is_inside_normal_range(arf_srcptr x, const BinaryFormat& format) {
  return arf_cmpabs_2exp_si(x, format.least + format.digits - 1) >= 0 &&
         arf_cmpabs_2exp_si(x, format.largest - 1) < 0;
}

/// Rounds x to the format.
/// Requires  is_inside_normal_range(x, format)
double rounded(arf_srcptr x, const BinaryFormat& format) {
  if (format.digits == 53) return arf_get_d(x, ARF_RND_NEAR);
  arf_t result;
  arf_init(result);
  arf_set_round(result, x, format.digits, ARF_RND_NEAR);
  const double value = arf_get_d(result, ARF_RND_NEAR);
  arf_clear(result);
  return value;
}

double round_to_binary_format(arf_srcptr x, const BinaryFormat& format) {
  if (is_inside_normal_range(x, format)) return rounded(x, format);
  // `exact` represents x exactly, so that the rounding to the format is the only rounding.
  mpfr_t exact, nearest;
  mpfr_init2(exact, std::max<mpfr_prec_t>(arf_bits(x), MPFR_PREC_MIN));
  mpfr_init2(nearest, format.digits);
  arf_get_mpfr(exact, x, MPFR_RNDN);
  {
    const checks::elementary::ExponentRange range(format.least, format.largest);
    int inexact = mpfr_set(nearest, exact, MPFR_RNDN);
    inexact = mpfr_check_range(nearest, inexact, MPFR_RNDN);
    mpfr_subnormalize(nearest, inexact, MPFR_RNDN);
  }
  const double result = mpfr_get_d(nearest, MPFR_RNDN);
  mpfr_clears(exact, nearest, nullptr);
  if (std::fabs(result) > format.largest_number)
    return std::copysign(format.overflow_value, result);
  return result == 0 ? 0 : result;
}

}  // namespace

std::optional<NearestNumber> nearest(const ref::numeric::ball& x, DType dtype,
                                     ref::numeric::Overflow overflow) {
  const BinaryFormat format = binary_format(dtype, overflow);
  if (!x.is_finite()) return std::nullopt;
  // If all points round to the same number with that many digits, and no point leaves the format,
  // the midpoint gives the result. The ends of the enclosure need not be computed.
  if (is_inside_normal_range(arb_midref(x.get()), format) &&
      arb_can_round_arf(x.get(), format.digits, ARF_RND_NEAR) != 0)
    return NearestNumber{rounded(arb_midref(x.get()), format), false};
  arf_t lower, upper;
  arf_init(lower);
  arf_init(upper);
  const slong digits = 2 * ref::numeric::ball::precision() + 64;
  arb_get_lbound_arf(lower, x.get(), digits);
  arb_get_ubound_arf(upper, x.get(), digits);
  const double least = round_to_binary_format(lower, format),
               most = round_to_binary_format(upper, format);
  arf_clear(lower);
  arf_clear(upper);
  if (least == most || (std::isnan(least) && std::isnan(most))) return NearestNumber{least, false};
  // An enclosure as narrow as this touches at most two neighboring numbers. Their distance is a
  // power of two.
  const double step = most - least;
  if (!std::isfinite(step) || arb_rel_accuracy_bits(x.get()) < kTieAccuracyBits)
    return std::nullopt;
  return NearestNumber{std::fmod(least / step, 2) == 0 ? least : most, true};
}

}  // namespace normproof::verification::golden::certify
