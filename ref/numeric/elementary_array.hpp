#pragma once

#include <cstddef>

namespace normproof::ref::numeric {

/// exp, log, tanh and erf of a `double`, correctly rounded: the double nearest to f(x), ties to
/// even, hence the same bits everywhere (docs/specification/determinism.md, R5). No libm, no library at all.
///
/// Source    docs/derivations/elementary.md: fast phase with a proved error bound and a rounding
///           test, accurate phase where that does not decide
/// Computes  exp overflows to +inf and underflows gradually to 0; log(x < 0) = NaN,
///           log(+-0) = -inf; tanh(+-0) = erf(+-0) = +-0; f(NaN) = NaN; limits at +-inf
double exp(double x);
double log(double x);
double tanh(double x);
double erf(double x);

/// The functions of one double, with the same bits, for each element of an array, several at a time
/// on the instruction set in use.
///
/// Computes  y[i] = f(x[i]) for i < count
/// Requires  (C1) y is x itself, or the arrays do not overlap
void exp(const double* x, std::size_t count, double* y);
void log(const double* x, std::size_t count, double* y);
void tanh(const double* x, std::size_t count, double* y);
void erf(const double* x, std::size_t count, double* y);

/// Computes  y[i] = exp(RN(x[i] - m)) for i < count
/// Requires  (C1) y is x itself, or the arrays do not overlap
void exp_of_difference(const double* x, double m, std::size_t count, double* y);

}  // namespace normproof::ref::numeric
