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

/// Digits, and the exponents of MPFR (a number is below 2^exponent) of the least subnormal number
/// and of the largest number; what stands for what is beyond that.
struct BinaryFormat {
  mpfr_prec_t digits;
  mpfr_exp_t least, largest;
  double largest_number, beyond;
};

BinaryFormat binary_format(DType dtype, ref::numeric::Overflow overflow) {
  const auto type = ref::io::float_type(dtype);
  if (!type)
    ref::numeric::contract_failure("nearest", "dtype", "is no float",
                                   ref::io::list_dtypes(ref::io::is_float),
                                   ref::numeric::Clause::C1);
  const ref::numeric::FloatFormat& row = format_of(*type);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  const double beyond = overflow == ref::numeric::Overflow::saturate ? row.largest
                        : row.has_infinity                           ? kInfinity
                                                                     : kNaN;
  return {row.digits, row.min_exponent - row.digits + 2, row.max_exponent + 1, row.largest, beyond};
}

constexpr slong kTieBits = 1100;

/// Rounding to the digits is rounding to the format: neither x nor what it rounds to is subnormal
/// or beyond the range.
bool is_well_inside(arf_srcptr x, const BinaryFormat& format) {
  return arf_cmpabs_2exp_si(x, format.least + format.digits - 1) >= 0 &&
         arf_cmpabs_2exp_si(x, format.largest - 1) < 0;
}

/// The number of the format nearest to an x that is well inside.
double rounded(arf_srcptr x, const BinaryFormat& format) {
  if (format.digits == 53) return arf_get_d(x, ARF_RND_NEAR);
  arf_t result;
  arf_init(result);
  arf_set_round(result, x, format.digits, ARF_RND_NEAR);
  const double value = arf_get_d(result, ARF_RND_NEAR);
  arf_clear(result);
  return value;
}

double nearest_to(arf_srcptr x, const BinaryFormat& format) {
  if (is_well_inside(x, format)) return rounded(x, format);
  // Exactly x, so that its one rounding is the one to the format.
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
  if (std::fabs(result) > format.largest_number) return std::copysign(format.beyond, result);
  return result == 0 ? 0 : result;
}

}  // namespace

std::optional<Nearest> nearest(const ref::numeric::ball& x, DType dtype,
                               ref::numeric::Overflow overflow) {
  const BinaryFormat format = binary_format(dtype, overflow);
  if (!x.is_finite()) return std::nullopt;
  // Where all points round to the same number of that many digits and none of them leaves the
  // format, the midpoint tells which, and neither end has to be computed.
  if (is_well_inside(arb_midref(x.get()), format) &&
      arb_can_round_arf(x.get(), format.digits, ARF_RND_NEAR) != 0)
    return Nearest{rounded(arb_midref(x.get()), format), false};
  arf_t lower, upper;
  arf_init(lower);
  arf_init(upper);
  const slong digits = 2 * ref::numeric::ball::precision() + 64;
  arb_get_lbound_arf(lower, x.get(), digits);
  arb_get_ubound_arf(upper, x.get(), digits);
  const double least = nearest_to(lower, format), most = nearest_to(upper, format);
  arf_clear(lower);
  arf_clear(upper);
  if (least == most || (std::isnan(least) && std::isnan(most))) return Nearest{least, false};
  // So narrow an enclosure meets two neighbours at most, and their distance is a power of two.
  const double step = most - least;
  if (!std::isfinite(step) || arb_rel_accuracy_bits(x.get()) < kTieBits) return std::nullopt;
  return Nearest{std::fmod(least / step, 2) == 0 ? least : most, true};
}

}  // namespace normproof::verification::golden::certify
