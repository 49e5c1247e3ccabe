#pragma once

#include <string>

#include "ref/numeric/elementary_array.hpp"
#include "ref/numeric/real.hpp"
#include "ref/numeric/square_root.hpp"

/// Functions other than + - * / for all scalar types. For `double` every function is correctly
/// rounded, so its bits are the same on every machine (docs/specification/determinism.md, rules R4
/// and R5). square_root.hpp has square_root; elementary_array.hpp has exp, log, tanh and erf.
namespace normproof::ref::numeric {

/// Whether x is neither infinite nor NaN. For an enclosure, both ends must be finite; for a dual or
/// complex number, both parts must be finite.
inline bool is_finite(double x) {
  return x - x == 0;
}

/// Returns the double nearest to x. For an enclosure, this is the double nearest to its midpoint;
/// for a dual number, to its value; for a complex number, to its real part.
inline double to_double(double x) {
  return x;
}

/// Returns x limited to [lower, upper]. The limits must be points with lower <= upper. For an
/// enclosure, the result contains the results for all of its points. For a dual number outside the
/// limits, the derivative is 0.
template <class T>
T clamp(const T& x, const T& lower, const T& upper) {
  if (x < lower) return lower;
  if (x > upper) return upper;
  return x;
}

/// Returns x as a constant with respect to differentiation: a dual number loses its derivative, a
/// complex number its imaginary part. Other scalars are returned unchanged.
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

/// Declares exp, log, tanh and erf for the scalar type T.
/// Error     oracle50 and oracle100: correctly rounded by MPFR; interval and ball: the result
///           contains the values at every point of the argument; dual: both the value and the
///           derivative are computed; complex100: the analytic continuation, each part to about 100
///           digits, where erf returns NaN if 2^16 bits are not enough; running_error: the bits of
///           the `double` function, and a bound that covers the rounding and the error of the
///           argument; any_order_error: as running_error, but the bound holds if the candidate's
///           argument differs from the value by up to twice the error of the argument
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

/// Two doubles that enclose x: the largest double below x and the smallest double above x. If x is
/// a double, both are x.
struct Enclosure {
  double lower;
  double upper;
};
Enclosure enclose(const interval& x);
Enclosure enclose(const ball& x);
Enclosure enclose(const oracle50& x);
Enclosure enclose(const oracle100& x);

/// Returns the midpoint of an enclosure, as an enclosure of this point alone.
interval enclosed_midpoint(const interval& x);
ball enclosed_midpoint(const ball& x);

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
