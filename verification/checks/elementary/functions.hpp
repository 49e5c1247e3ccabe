#pragma once

#include <mpfr.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ref/numeric/elementary_kernels.hpp"

namespace normproof::verification::checks::elementary {

/// One of the correctly rounded functions, with its judge and with the arguments to try it on.
struct Function {
  std::string name;
  double (*of)(double x);
  void (*of_each)(const double* x, std::size_t count, double* y);
  double (*accurate)(double x, int first_limbs);  ///< nullptr for sqrt
  /// nullptr for sqrt
  ref::numeric::ElementaryKernels::Function ref::numeric::ElementaryKernels::*kernel;
  int (*mpfr)(mpfr_t y, const mpfr_t x, mpfr_rnd_t rounding);
  /// Where the fast phase decides most arguments.
  double begin, end;
  double fast_error;  ///< the relative error that the rounding test allows for
  /// Arguments where something changes: thresholds of overflow, underflow, saturation, of the
  /// domains of the phases.
  std::vector<double> edges;
};

/// exp, log, tanh, erf, sqrt: all but the last with two phases.
const std::vector<Function>& functions();

/// Computes  the double nearest to f(x) by MPFR, ties to even, subnormal results rounded once
double nearest(const Function& f, double x);

/// Computes  an argument as a function of (seed, index): in turn any 64 bits; uniform in [begin,
///           end]; any exponent from 2^-60 to 2^10 (log: 1 +- such a number); within 2^12 doubles
///           of an edge
double argument(const Function& f, std::uint64_t seed, std::uint64_t index);

/// True where both are the same double; NaNs are the same whatever their bits.
bool same_value(double a, double b);

/// Computes  |hi + lo - f(x)| / |f(x)|, the relative error of the fast phase before rounding
///           (exp: up to the power of two), against 250 bits; x in the domain of the fast phase
double fast_error(const Function& f, double x);
/// True where there is a fast phase and x is in its domain, for tanh and erf |x|.
bool in_fast_domain(const Function& f, double x);

}  // namespace normproof::verification::checks::elementary
