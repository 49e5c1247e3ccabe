#include "ref/numeric/elementary.hpp"

#include <algorithm>
#include <limits>

#include "ref/numeric/error_tape.hpp"

namespace normproof::ref::numeric {
namespace {

template <class T>
bool mpfr_is_finite(const T& x) {
  return mpfr_number_p(x.backend().data()) != 0;
}

template <class T>
Enclosure mpfr_enclose(const T& x) {
  return {mpfr_get_d(x.backend().data(), MPFR_RNDD), mpfr_get_d(x.backend().data(), MPFR_RNDU)};
}

// Returns the derivative of tanh. It is computed as 1/cosh^2, because 1 - tanh^2 would cancel.
oracle50 tanh_slope(const oracle50& x) {
  oracle50 s;
  mpfr_sech(s.backend().data(), x.backend().data(), MPFR_RNDN);
  return s * s;
}

oracle50 erf_slope(const oracle50& x) {
  oracle50 pi;
  mpfr_const_pi(pi.backend().data(), MPFR_RNDN);
  return 2 * exp(-x * x) / square_root(pi);
}

// Returns a lower bound of |a| for every a within the error of x. If the error reaches 0, it
// returns exactly 0.
double min_magnitude(const running_error& x) {
  const double least = (std::fabs(x.value) - x.error) * (1 - 0x1p-50);
  return least > 0 ? least : 0;
}

/// Owns a complex ball of the library Arb.
class Acb {
 public:
  Acb() { acb_init(value_); }
  ~Acb() { acb_clear(value_); }
  Acb(const Acb&) = delete;
  Acb& operator=(const Acb&) = delete;
  acb_ptr get() { return value_; }

 private:
  acb_t value_;
};

// Returns the range of the arguments that a candidate may use: x.value with the error 2 e. The
// candidate's argument lies within 2 e of the value, because both lie within e of the exact
// argument.
running_error candidate_argument_range(const any_order_error& x) {
  return running_error(x.value, 2 * x.error);
}

}  // namespace

oracle50 square_root(const oracle50& x) {
  return mp::sqrt(x);
}
oracle100 square_root(const oracle100& x) {
  return mp::sqrt(x);
}
interval square_root(const interval& x) {
  return mp::sqrt(x);
}
dual square_root(const dual& x) {
  return sqrt(x);
}
complex100 square_root(const complex100& x) {
  return sqrt(x);
}

#define NORMPROOF_BY_MPFR(f, T)                                  \
  T f(const T& x) {                                              \
    T y;                                                         \
    mpfr_##f(y.backend().data(), x.backend().data(), MPFR_RNDN); \
    return y;                                                    \
  }
#define NORMPROOF_BY_ARB(f, arb_f)              \
  ball f(const ball& x) {                       \
    ball y;                                     \
    arb_f(y.get(), x.get(), ball::precision()); \
    return y;                                   \
  }
// Defines f on dual numbers: the derivative of the result is f'(x) d for the derivative d of the
// argument. If d = 0, it is 0 even if f'(x) is infinite.
#define NORMPROOF_BY_CHAIN_RULE(f, derivative_at_x)                   \
  dual f(const dual& x) {                                             \
    if (x.derivative == 0) return dual(f(x.value));                   \
    return dual(f(x.value), x.derivative * derivative_at_x(x.value)); \
  }
#define NORMPROOF_BY_MPFI(f)                          \
  interval f(const interval& x) {                     \
    interval y;                                       \
    mpfi_##f(y.backend().data(), x.backend().data()); \
    return y;                                         \
  }
#define NORMPROOF_FUNCTION(f, arb_f, derivative_at_x) \
  NORMPROOF_BY_MPFR(f, oracle50)                      \
  NORMPROOF_BY_MPFR(f, oracle100)                     \
  NORMPROOF_BY_ARB(f, arb_f)                          \
  NORMPROOF_BY_CHAIN_RULE(f, derivative_at_x)
NORMPROOF_FUNCTION(exp, arb_exp, exp)
NORMPROOF_FUNCTION(log, arb_log, 1 /)
NORMPROOF_FUNCTION(tanh, arb_tanh, tanh_slope)
NORMPROOF_FUNCTION(erf, arb_hypgeom_erf, erf_slope)
#undef NORMPROOF_FUNCTION
NORMPROOF_BY_MPFI(exp)
NORMPROOF_BY_MPFI(log)
NORMPROOF_BY_MPFI(tanh)

// erf is increasing, so the ends of the result are the values of erf at the ends of x.
interval erf(const interval& x) {
  interval y;
  mpfr_erf(&y.backend().data()->left, &x.backend().data()->left, MPFR_RNDD);
  mpfr_erf(&y.backend().data()->right, &x.backend().data()->right, MPFR_RNDU);
  return y;
}

complex100 exp(const complex100& x) {
  const oracle100 modulus = exp(x.re);
  return {modulus * mp::cos(x.im), modulus * mp::sin(x.im)};
}

complex100 log(const complex100& x) {
  return {log(mp::sqrt(oracle100(x.re * x.re + x.im * x.im))), mp::atan2(x.im, x.re)};
}

complex100 tanh(const complex100& x) {
  const oracle100 real = 2 * x.re, imaginary = 2 * x.im;
  // Far from 0, sinh and cosh may overflow. There tanh(x) is, up to its sign, (1 - e)/(1 + e) with
  // e = exp(-2 |x|). Its leading terms are accurate to 400 digits.
  if (mp::abs(real) > 1000)
    return {oracle100(real > 0 ? 1 : -1), 2 * mp::exp(-mp::abs(real)) * mp::sin(imaginary)};
  const oracle100 divisor = mp::cosh(real) + mp::cos(imaginary);
  return {mp::sinh(real) / divisor, mp::sin(imaginary) / divisor};
}

// Arb gives one error bound for both parts. The imaginary part may be much smaller than the real
// part, so the precision grows until the imaginary part is accurate too.
complex100 erf(const complex100& x) {
  if (x.im == 0) return complex100(erf(x.re));
  constexpr slong kBits = std::numeric_limits<oracle100>::digits;
  constexpr slong kMaximum = 1 << 16;
  Acb at, image;
  arf_set_mpfr(arb_midref(acb_realref(at.get())), x.re.backend().data());
  arf_set_mpfr(arb_midref(acb_imagref(at.get())), x.im.backend().data());
  const auto part = [](arb_srcptr y) {
    oracle100 result(std::numeric_limits<double>::quiet_NaN());
    if (arb_rel_accuracy_bits(y) >= kBits)
      arf_get_mpfr(result.backend().data(), arb_midref(y), MPFR_RNDN);
    return result;
  };
  complex100 result;
  for (slong bits = 1024; bits <= kMaximum; bits *= 2) {
    acb_hypgeom_erf(image.get(), at.get(), bits);
    result = {x.re == 0 ? oracle100(0) : part(acb_realref(image.get())),
              part(acb_imagref(image.get()))};
    if (is_finite(result)) break;
  }
  return result;
}

// The error bound of exp: |exp(v) - exp(a)| <= exp(v) (exp(e) - 1) for |v - a| <= e, and exp(e) - 1
// <= e + e^2 for e <= 1.
running_error exp(const running_error& x) {
  const double e = x.error, y = exp(x.value);
  return running_error::rounded(y, e == 0 ? 0 : (y + 0x1p-1074) * (e <= 1 ? e * (1 + e) : exp(e)));
}

// The error bound of log: |log(v) - log(a)| <= e / (v - e) for |v - a| <= e, because 1/a <= 1/(v -
// e).
running_error log(const running_error& x) {
  const double least = (x.value - x.error) * (1 - 0x1p-50), y = log(x.value);
  if (x.error == 0) return running_error::rounded(y, 0);
  return least > 0 ? running_error::rounded(y, x.error / least)
                   : running_error(y, std::numeric_limits<double>::infinity());
}

// The error bound of tanh: |tanh(v) - tanh(a)| <= e max tanh' for |v - a| <= e, where tanh'(t) <= 4
// exp(-2 |t|) and tanh' <= 1.
running_error tanh(const running_error& x) {
  const double slope = 4 * exp(-2 * min_magnitude(x)) + 0x1p-1070;
  return running_error::rounded(tanh(x.value), x.error * std::min(1.0, slope));
}

// The error bound of erf: |erf(v) - erf(a)| <= e max erf' for |v - a| <= e, where erf'(t) =
// 2/sqrt(pi) exp(-t^2) and 2/sqrt(pi) < 1.1284.
running_error erf(const running_error& x) {
  const double t = min_magnitude(x);
  const double slope = 1.1284 * exp(-(t * t) * (1 - 0x1p-50)) + 0x1p-1070;
  return running_error::rounded(erf(x.value), x.error * slope);
}

bool is_finite(const oracle50& x) {
  return mpfr_is_finite(x);
}
bool is_finite(const oracle100& x) {
  return mpfr_is_finite(x);
}
bool is_finite(const interval& x) {
  return mpfi_bounded_p(x.backend().data()) != 0;
}
bool is_finite(const dual& x) {
  return is_finite(x.value) && is_finite(x.derivative);
}
bool is_finite(const complex100& x) {
  return is_finite(x.re) && is_finite(x.im);
}

double to_double(const oracle50& x) {
  return mpfr_get_d(x.backend().data(), MPFR_RNDN);
}
double to_double(const oracle100& x) {
  return mpfr_get_d(x.backend().data(), MPFR_RNDN);
}
interval enclosed_midpoint(const interval& x) {
  return interval(mp::median(x));
}
ball enclosed_midpoint(const ball& x) {
  ball point = x;
  mag_zero(arb_radref(point.get()));
  return point;
}
double to_double(const interval& x) {
  return mpfi_get_d(x.backend().data());
}
double to_double(const dual& x) {
  return to_double(x.value);
}
double to_double(const complex100& x) {
  return to_double(x.re);
}
double to_double(const rational& x) {
  return x.convert_to<double>();
}

Enclosure enclose(const interval& x) {
  return {mpfr_get_d(&x.backend().data()->left, MPFR_RNDD),
          mpfr_get_d(&x.backend().data()->right, MPFR_RNDU)};
}
Enclosure enclose(const ball& x) {
  return {x.lower(), x.upper()};
}
Enclosure enclose(const oracle50& x) {
  return mpfr_enclose(x);
}
Enclosure enclose(const oracle100& x) {
  return mpfr_enclose(x);
}

// clamp is increasing in each of its arguments. So the ends of the result follow from the ends of
// the arguments.
interval clamp(const interval& x, const interval& lower, const interval& upper) {
  interval result = x;
  auto* r = result.backend().data();
  const auto* lo = lower.backend().data();
  const auto* up = upper.backend().data();
  if (mpfr_cmp(&r->left, &lo->left) < 0) mpfr_set(&r->left, &lo->left, MPFR_RNDN);
  if (mpfr_cmp(&r->left, &up->left) > 0) mpfr_set(&r->left, &up->left, MPFR_RNDN);
  if (mpfr_cmp(&r->right, &lo->right) < 0) mpfr_set(&r->right, &lo->right, MPFR_RNDN);
  if (mpfr_cmp(&r->right, &up->right) > 0) mpfr_set(&r->right, &up->right, MPFR_RNDN);
  return result;
}

ball clamp(const ball& x, const ball& lower, const ball& upper) {
  if (x < lower) return lower;
  if (x > upper) return upper;
  if (x >= lower && x <= upper) return x;
  // If the ball contains a limit, the result lies in the hull of that limit and of the part of the
  // ball between the limits.
  ball result;
  ball lo = x >= lower ? x : hull(lower, lower);
  ball up = x <= upper ? x : hull(upper, upper);
  if (!(x >= lower) && !(x <= upper)) return hull(lower, upper);
  arf_t end;
  arf_init(end);
  if (!(x >= lower)) {
    arb_get_ubound_arf(end, x.get(), ball::precision());
    arb_set_arf(up.get(), end);
  } else {
    arb_get_lbound_arf(end, x.get(), ball::precision());
    arb_set_arf(lo.get(), end);
  }
  arf_clear(end);
  return hull(lo, up);
}

namespace {

/// Returns the result of a function of x and records the operation if there is a tape. `slope`
/// returns the range of the derivative, from the largest distance of the arguments from x.
/// `rounding` is a part of `propagated` that does not come from the error of x.
template <class Slope>
any_order_error recorded(const any_order_error& x, double result, double propagated, Slope slope,
                         double rounding = 0) {
  const any_order_error number = any_order_error::rounded(result, propagated);
  ErrorTape* const tape = ErrorTape::current();
  if (tape == nullptr) return number;
  const ErrorTape::Reference operand = tape->operand(x);
  return tape->record_function(number, operand, slope(2 * tape->error(operand)), rounding);
}

/// Bounds the change of a function in [-1, 1] that the error of its argument causes. If the error
/// is infinite, the candidate's argument may be NaN.
double bounded_change(const any_order_error& x, double slope) {
  return std::isinf(x.error) ? x.error : std::min(x.error * slope, 2.0);
}

}  // namespace

// A candidate may compute exp(x) as 2^(x log2 e), whose exponent is rounded twice.
any_order_error exp(const any_order_error& x) {
  const double u = AnyOrderArithmetic::current().unit_roundoff;
  const double of_argument = 2 * u * (std::fabs(x.value) + 2 * x.error);
  const double off = x.error + of_argument;
  const double largest = exp(x.value + off + x.error);
  return recorded(
      x, exp(x.value), off == 0 ? 0 : largest * off,
      [&](double change) {
        return slope_between(exp(x.value - change - of_argument) * (1 - 0x1p-50),
                             exp(x.value + change + of_argument) * (1 + 0x1p-50));
      },
      largest * of_argument);
}

any_order_error log(const any_order_error& x) {
  const double least = (x.value - 2 * x.error) * (1 - 0x1p-50), y = log(x.value);
  if (x.error > 0 && !(least > 0))
    return any_order_error(y, std::numeric_limits<double>::infinity());
  return recorded(x, y, x.error == 0 ? 0 : x.error / least, [&](double change) {
    return slope_between(1 / (x.value + change) * (1 - 0x1p-50),
                         1 / std::max(x.value - change, least) * (1 + 0x1p-50));
  });
}

any_order_error tanh(const any_order_error& x) {
  const double slope = 4 * exp(-2 * min_magnitude(candidate_argument_range(x)));
  return recorded(x, tanh(x.value), bounded_change(x, std::min(1.0, slope)), [&](double change) {
    // The derivative 1 - tanh^2 falls with the magnitude of the argument.
    const double near = tanh(std::max(std::fabs(x.value) - change, 0.0)),
                 far = tanh(std::fabs(x.value) + change);
    return slope_between(std::max((1 - far) * (1 + far) - 0x1p-48, 0.0),
                         std::min(1.0, (1 - near) * (1 + near) + 0x1p-48));
  });
}

any_order_error erf(const any_order_error& x) {
  const double t = min_magnitude(candidate_argument_range(x));
  const double slope = 1.1284 * exp(-(t * t) * (1 - 0x1p-50));
  return recorded(x, erf(x.value), bounded_change(x, slope), [&](double change) {
    const double near = std::max(std::fabs(x.value) - change, 0.0) * (1 - 0x1p-50);
    const double far = (std::fabs(x.value) + change) * (1 + 0x1p-50);
    return slope_between(1.1283 * exp(-(far * far) * (1 + 0x1p-50)),
                         1.1284 * exp(-(near * near) * (1 - 0x1p-50)));
  });
}

// clamp never increases a distance: two results are at most as far apart as the two arguments. So
// the bound holds for every branch that the exact value may take.
running_error clamp(const running_error& x, const running_error& lower,
                    const running_error& upper) {
  const double value = x < lower ? lower.value : x > upper ? upper.value : x.value;
  return running_error(value, x.error + lower.error + upper.error);
}
any_order_error clamp(const any_order_error& x, const any_order_error& lower,
                      const any_order_error& upper) {
  const double value = x < lower ? lower.value : x > upper ? upper.value : x.value;
  return any_order_error(value, x.error + lower.error + upper.error);
}

}  // namespace normproof::ref::numeric
