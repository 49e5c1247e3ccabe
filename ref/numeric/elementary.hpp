#pragma once

#include <string>

#include "ref/numeric/elementary_array.hpp"
#include "ref/numeric/real.hpp"
#include "ref/numeric/square_root.hpp"

/// All functions beyond + - * /, for every scalar. For `double` each is correctly rounded, so its
/// bits are the same everywhere (docs/specification/determinism.md, rules R4 and R5). square_root
/// is in square_root.hpp; exp, log, tanh and erf are in elementary_array.hpp.
namespace normproof::ref::numeric {

/// Whether x is neither infinite nor NaN. This is checked at both ends of an enclosure, and in both
/// parts of a dual or complex number.
inline bool is_finite(double x) {
  return x - x == 0;
}

/// Returns the nearest double: of the value, of the midpoint of an enclosure, of the value part of
/// a dual, or of the real part of a complex number.
inline double to_double(double x) {
  return x;
}

/// Returns x limited to [lower, upper], where lower <= upper are points. For an enclosure it
/// returns the image of all points; for a dual number the derivative outside is 0.
template <class T>
T clamp(const T& x, const T& lower, const T& upper) {
  if (x < lower) return lower;
  if (x > upper) return upper;
  return x;
}

/// Returns x as a constant of the derivative: a dual number loses its derivative, a complex number
/// its imaginary part.
template <class T>
T stop_gradient(const T& x) {
  return x;
}

#ifndef NORMPROOF_DOUBLE_ONLY

oracle50 square_root(const oracle50& x);
oracle100 square_root(const oracle100& x);
interval square_root(const interval& x);
inline ball square_root(const ball& x) {
  return sqrt(x);
}
dual square_root(const dual& x);
complex100 square_root(const complex100& x);
inline running_error square_root(const running_error& x) {
  return sqrt(x);
}
inline any_order_error square_root(const any_order_error& x) {
  return sqrt(x);
}

/// Declares exp, log, tanh and erf for a scalar.
/// Error     oracles: correctly rounded by MPFR; interval and ball: enclosures of the image of
///           every point; dual: value and derivative; complex100: the analytic continuation, each
///           part to about 100 digits, where erf returns NaN if 2^16 bits are not enough;
///           running_error: the bits of the `double` function, and a bound that covers the rounding
///           and the error of the argument; any_order_error: likewise, where the candidate's
///           argument may have the same error again
#define NORMPROOF_ELEMENTARY(T) \
  T exp(const T& x);            \
  T log(const T& x);            \
  T tanh(const T& x);           \
  T erf(const T& x);
NORMPROOF_ELEMENTARY(oracle50)
NORMPROOF_ELEMENTARY(oracle100)
NORMPROOF_ELEMENTARY(interval)
NORMPROOF_ELEMENTARY(ball)
NORMPROOF_ELEMENTARY(dual)
NORMPROOF_ELEMENTARY(complex100)
NORMPROOF_ELEMENTARY(running_error)
NORMPROOF_ELEMENTARY(any_order_error)
#undef NORMPROOF_ELEMENTARY

bool is_finite(const oracle50& x);
bool is_finite(const oracle100& x);
bool is_finite(const interval& x);
inline bool is_finite(const ball& x) {
  return x.is_finite();
}
bool is_finite(const dual& x);
bool is_finite(const complex100& x);
inline bool is_finite(const running_error& x) {
  return is_finite(x.value);
}
inline bool is_finite(const any_order_error& x) {
  return is_finite(x.value);
}

double to_double(const oracle50& x);
double to_double(const oracle100& x);
double to_double(const interval& x);
inline double to_double(const ball& x) {
  return x.midpoint();
}
double to_double(const dual& x);
double to_double(const complex100& x);
double to_double(const rational& x);
inline double to_double(const running_error& x) {
  return x.value;
}
inline double to_double(const any_order_error& x) {
  return x.value;
}

/// Two doubles that enclose x: the largest below and the smallest above, or x itself if x is a
/// double.
struct Enclosure {
  double lower;
  double upper;
};
Enclosure enclose(const interval& x);
Enclosure enclose(const ball& x);
Enclosure enclose(const oracle50& x);
Enclosure enclose(const oracle100& x);

interval clamp(const interval& x, const interval& lower, const interval& upper);
ball clamp(const ball& x, const ball& lower, const ball& upper);
running_error clamp(const running_error& x, const running_error& lower, const running_error& upper);
any_order_error clamp(const any_order_error& x, const any_order_error& lower,
                      const any_order_error& upper);

inline dual stop_gradient(const dual& x) {
  return dual(x.value);
}
inline complex100 stop_gradient(const complex100& x) {
  return complex100(x.re);
}

#endif

}  // namespace normproof::ref::numeric
