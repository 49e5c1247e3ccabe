#include "ref/numeric/elementary_accurate.hpp"

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

#include "ref/numeric/elementary_tables.hpp"
#include "ref/numeric/fixed_point.hpp"

// The section "The accurate phase" of docs/derivations/elementary.md states the steps and their
// bounds.
namespace normproof::ref::numeric {
inline namespace NORMPROOF_SIDE {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

NORMPROOF_DEVICE double magnitude(double x) {
  return x < 0 ? -x : x;
}
NORMPROOF_DEVICE double copy_sign(double x, double y) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  return __builtin_bit_cast(
      double, __builtin_bit_cast(std::uint64_t, y) | (__builtin_bit_cast(std::uint64_t, x) & sign));
}

#if defined(__CUDACC__)
__device__ void fail_undecided_rounding(const char*, double) {
  __trap();
}
#else
[[noreturn]] void fail_undecided_rounding(const char* function, double x) {
  throw std::logic_error(std::string(function) + ": 2048 fractional bits do not decide how " +
                         std::to_string(x) + " rounds");
}
#endif

// Calls `attempt(limbs, &result)` with growing precision until it decides the rounding. Returns the
// result.
template <class Attempt>
NORMPROOF_DEVICE double round_with_growing_precision(const char* function, double x, int limbs,
                                                     Attempt attempt) {
  for (;;) {
    double result;
    if (attempt(limbs, &result)) return result;
    if (limbs == kConstantLimbs) fail_undecided_rounding(function, x);
    limbs = limbs * 2 < kConstantLimbs ? limbs * 2 : kConstantLimbs;
  }
}

// Adds the terms step(term, 1), step(., 2), ... until a term vanishes. From there on, each |term|
// must be at most half of the term before it. Then the remainder of the series is below the last
// term's error + 1.
template <class Step>
NORMPROOF_DEVICE FixedPoint sum_series(FixedPoint term, Step step) {
  FixedPoint sum = term;
  for (std::uint32_t n = 1; !term.is_zero(); ++n) {
    step(term, n);
    sum += term;
  }
  sum.add_error(term.error() + 1);
  return sum;
}

struct Exponential {
  FixedPoint mantissa;  // lies in [1, 2), up to its error
  int exponent;
};

// Returns exp(v) or exp(-v) for 0 <= v < 2^11. It uses v = k log(2) + r and exp(r) = T^(2^s), where
// T is the Taylor polynomial of exp(r / 2^s).
NORMPROOF_DEVICE Exponential exponential(FixedPoint v, bool negative) {
  const FixedPoint ln2(v.limbs(), kLn2, kConstantLimbs);
  auto k = static_cast<int>(v.approximate() * 1.4426950408889634);
  const auto multiple = [&] { return FixedPoint(ln2) *= static_cast<std::uint64_t>(k); };
  if (k > 0 && !v.at_least(multiple())) --k;
  if (negative) {
    ++k;
    FixedPoint r = multiple();
    if (!r.at_least(v)) r = multiple() += FixedPoint(ln2), ++k;
    v = r -= v;
  } else {
    v -= multiple();
  }
  const int halvings = 4 * v.limbs() < 40 ? 4 + v.limbs() : 40;
  v >>= halvings;
  FixedPoint power = sum_series(FixedPoint(v.limbs(), 1), [&](FixedPoint& term, std::uint32_t n) {
    term = term * v, term /= n;
  });
  for (int i = 0; i < halvings; ++i) power = power * power;
  return {power, negative ? -k : k};
}

// Returns log(x) to about 40 bits, for a normal x. try_log computes the correction exactly.
NORMPROOF_DEVICE double approximate_log(double x) {
  const auto bits = __builtin_bit_cast(std::int64_t, x);
  const std::int64_t above = bits - kLogFirstBinBits;
  const double m = __builtin_bit_cast(double, bits - (above & -(std::int64_t{1} << 52)));
  const double s = (m - 1) / (m + 1), s2 = s * s;
  double series = 0;
  for (int n = 19; n >= 1; n -= 2) series = series * s2 + 1.0 / n;
  return static_cast<double>(above >> 52) * 0.6931471805599453 + 2 * s * series;
}

// Computes log(x) - scaled log(2), which is log(2^-scaled x). It uses log(x) = y + log(x exp(-y)),
// where y is an approximation of log(x).
NORMPROOF_DEVICE bool try_log(double x, int scaled, int limbs, double* result) {
  const int binary_exponent = static_cast<int>(__builtin_bit_cast(std::uint64_t, x) >> 52) - 1023;
  double y = approximate_log(x);
  // Clears the last bits of y, so that its fraction fits the limbs of the first attempt.
  y = __builtin_bit_cast(double, __builtin_bit_cast(std::int64_t, y) & -(std::int64_t{1} << 20));
  const bool negative = y < 0;
  Exponential e = exponential(FixedPoint::from_double(limbs, y), !negative);
  const FixedPoint m = FixedPoint::from_double(limbs, x, -binary_exponent);
  FixedPoint p = e.mantissa * m;                   // lies in [1, 4)
  const int shift = binary_exponent + e.exponent;  // x exp(-y) = p 2^shift, near 1
  if (shift > 0) return false;
  p >>= -shift;
  const FixedPoint one(limbs, 1);
  const bool above = p.at_least(one);
  FixedPoint delta = above ? p : one;
  delta -= above ? one : p;
  // |log(1 +- delta)| = delta (1 -+ delta/2 + delta^2/3 ...). Above 1 the signs alternate.
  FixedPoint power = delta, sum = delta;
  for (std::uint32_t n = 2; !power.is_zero(); ++n) {
    power = power * delta;
    FixedPoint term = power;
    term /= n;
    if (above && n % 2 == 0) {
      sum -= term;
    } else {
      sum += term;
    }
  }
  sum.add_error(power.error() + 1);
  // The logarithm is y +- sum - scaled log(2). It is stored as a magnitude and a sign.
  FixedPoint value = FixedPoint::from_double(limbs, y);
  bool value_negative = negative;
  const auto add = [&](const FixedPoint& other, bool other_negative) {
    if (value_negative == other_negative) {
      value += other;
    } else if (value.at_least(other)) {
      value -= other;
    } else {
      value = FixedPoint(other) -= value;
      value_negative = other_negative;
    }
  };
  add(sum, !above);
  add(FixedPoint(limbs, kLn2, kConstantLimbs) *= static_cast<std::uint64_t>(scaled), true);
  if (!value.round(0, result)) return false;
  if (value_negative) *result = -*result;
  return true;
}

}  // namespace

NORMPROOF_DEVICE double exp_accurate(double x, int first_limbs) {
  if (x != x) return x;
  if (x > 710) return kInfinity;
  if (x < -746) return 0;
  // exp(x) = 1 + x + ... lies strictly inside the interval that rounds to 1, or on its end that
  // rounds to even.
  if (magnitude(x) <= 0x1p-54) return 1;
  return round_with_growing_precision("exp", x, first_limbs, [&](int limbs, double* result) {
    const Exponential e = exponential(FixedPoint::from_double(limbs, x), x < 0);
    return e.mantissa.round(e.exponent, result);
  });
}

NORMPROOF_DEVICE double log_accurate(double x, int first_limbs) {
  if (x != x) return x;
  if (x == 0) return -kInfinity;
  if (x < 0) return kNaN;
  if (x == kInfinity) return x;
  if (x == 1) return 0;
  const bool subnormal = x < 0x1p-1022;
  const int scaled = subnormal ? 54 : 0;
  const double normal = subnormal ? x * 0x1p54 : x;
  return round_with_growing_precision("log", x, first_limbs, [&](int limbs, double* result) {
    return try_log(normal, scaled, limbs, result);
  });
}

NORMPROOF_DEVICE double tanh_accurate(double x, int first_limbs) {
  if (x != x) return x;
  const double t = magnitude(x);
  // tanh(x) = x - x^3/3 + ... differs from x by less than half a unit in the last place, whatever
  // the exponent of x.
  if (t <= 0x1p-28) return x;
  // tanh(x) rounds to 1, because 1 - tanh(x) < 2 exp(-2 x) < 2^-54.
  if (t >= 20) return copy_sign(x, 1);
  const double y =
      round_with_growing_precision("tanh", x, first_limbs, [&](int limbs, double* result) {
        Exponential w = exponential(FixedPoint::from_double(limbs, t, 1), true);
        w.mantissa >>= -w.exponent;
        FixedPoint numerator(limbs, 1), denominator(limbs, 1);
        numerator -= w.mantissa;
        denominator += w.mantissa;
        return (numerator * reciprocal(denominator)).round(0, result);
      });
  return copy_sign(x, y);
}

NORMPROOF_DEVICE double erf_accurate(double x, int first_limbs) {
  if (x != x || x == 0) return x;
  const double t = magnitude(x);
  // erf(x) rounds to 1, because 1 - erf(6) < 2^-54.
  if (t >= 6) return copy_sign(x, 1);
  const bool subnormal = t < 0x1p-1022;
  const double normal = subnormal ? t * 0x1p54 : t;
  const int exponent = static_cast<int>(__builtin_bit_cast(std::uint64_t, normal) >> 52) - 1023;
  // The series is erf(x) = 2/sqrt(pi) x exp(-x^2) sum of (2 x^2)^n / (1 3 5 ... (2n+1)).
  const double y =
      round_with_growing_precision("erf", x, first_limbs, [&](int limbs, double* result) {
        const FixedPoint whole = FixedPoint::from_double(limbs, t);
        const FixedPoint mantissa = FixedPoint::from_double(limbs, normal, -exponent);
        const FixedPoint square = whole * whole;
        const Exponential e = exponential(square, true);
        const FixedPoint twice = FixedPoint(square) *= 2;
        FixedPoint sum = sum_series(FixedPoint(limbs, 1), [&](FixedPoint& term, std::uint32_t n) {
          term = term * twice, term /= 2 * n + 1;
        });
        const int width = bit_width(sum.integer());
        sum >>= width;
        const FixedPoint value =
            e.mantissa * sum * mantissa * FixedPoint(limbs, kTwoOverRootPi, kConstantLimbs);
        return value.round(e.exponent + width + exponent - (subnormal ? 54 : 0), result);
      });
  return copy_sign(x, y);
}

NORMPROOF_DEVICE_CALLED double exp_accurate(double x) {
  return exp_accurate(x, kInitialLimbs);
}
NORMPROOF_DEVICE_CALLED double log_accurate(double x) {
  return log_accurate(x, kInitialLimbs);
}
NORMPROOF_DEVICE_CALLED double tanh_accurate(double x) {
  return tanh_accurate(x, kInitialLimbs);
}
NORMPROOF_DEVICE_CALLED double erf_accurate(double x) {
  return erf_accurate(x, kInitialLimbs);
}

}  // namespace NORMPROOF_SIDE
}  // namespace normproof::ref::numeric
