#pragma once

#include <cstddef>

namespace normproof::ref::numeric {

/// Return exp, log, tanh and erf of a `double`, correctly rounded to nearest, ties to even. So
/// their bits are the same on every machine (docs/specification/determinism.md, rule R5). They use
/// neither libm nor any other library.
///
/// Source    docs/derivations/elementary.md. A fast phase has a proved error bound, and a rounding
///           test decides whether its result can be rounded. An accurate phase computes the
///           remaining arguments
/// Computes  exp overflows to +inf and underflows gradually to 0; log(x < 0) = NaN, log(+-0) =
///           -inf; tanh(+-0) = erf(+-0) = +-0; f(NaN) = NaN; at +-inf each function returns its
///           limit
double exp(double x);
double log(double x);
double tanh(double x);
double erf(double x);

/// Compute exp, log, tanh and erf of each element of an array. The bits are the same as with the
/// functions of one `double`. Several elements are computed at a time with the selected instruction
/// set.
///
/// Computes  y[i] = f(x[i]) for i < count
/// Requires  (C1) y is x itself, or the arrays do not overlap
void exp(const double* x, std::size_t count, double* y);
void log(const double* x, std::size_t count, double* y);
void tanh(const double* x, std::size_t count, double* y);
void erf(const double* x, std::size_t count, double* y);

/// Subtracts m from each element of an array and computes exp of the difference.
/// Computes  y[i] = exp(RN(x[i] - m)) for i < count, where RN rounds to the nearest double
/// Requires  (C1) y is x itself, or the arrays do not overlap
void exp_of_difference(const double* x, double m, std::size_t count, double* y);

}  // namespace normproof::ref::numeric
