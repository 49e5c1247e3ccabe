#pragma once

#include <cstddef>

namespace normproof::ref::numeric {

/// exp, log, tanh and erf of each element of an array, correctly rounded: the bits of the functions
/// of one `double` (elementary.hpp), several at a time on the instruction set in use.
///
/// Source    docs/derivations/elementary.md
/// Computes  y[i] = f(x[i]) for i < count
/// Requires  (C1) y is x itself, or the arrays do not overlap
void exp(const double* x, std::size_t count, double* y);
void log(const double* x, std::size_t count, double* y);
void tanh(const double* x, std::size_t count, double* y);
void erf(const double* x, std::size_t count, double* y);

}  // namespace normproof::ref::numeric
