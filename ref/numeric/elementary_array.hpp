#pragma once

#include <cstddef>

namespace normproof::ref::numeric {

/// Return exp, log, tanh and erf of a `double`, correctly rounded to nearest, ties to even. So
/// their bits are the same everywhere (docs/specification/determinism.md, rule R5). They use
/// neither libm nor any other library.
///
/// Source    docs/derivations/elementary.md: a fast phase with a proved error bound and a rounding
///           test, and an accurate phase for arguments that the test does not decide
/// Computes  exp overflows to +inf and underflows gradually to 0; log(x < 0) = NaN, log(+-0) =
///           -inf; tanh(+-0) = erf(+-0) = +-0; f(NaN) = NaN; limits at +-inf
double exp(double x);
double log(double x);
double tanh(double x);
double erf(double x);

/// Compute the same functions, with the same bits, for each element of an array. Several elements
/// are computed at a time with the selected instruction set.
///
/// Computes  y[i] = f(x[i]) for i < count
/// Requires  (C1) y is x itself, or the arrays do not overlap
void exp(const double* x, std::size_t count, double* y);
void log(const double* x, std::size_t count, double* y);
void tanh(const double* x, std::size_t count, double* y);
void erf(const double* x, std::size_t count, double* y);

/// Computes exp of the difference of each element and m.
/// Computes  y[i] = exp(RN(x[i] - m)) for i < count, where RN rounds to the nearest double
/// Requires  (C1) y is x itself, or the arrays do not overlap
void exp_of_difference(const double* x, double m, std::size_t count, double* y);

}  // namespace normproof::ref::numeric
