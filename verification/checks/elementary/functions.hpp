#pragma once

#include <mpfr.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ref/numeric/elementary_kernels.hpp"

namespace normproof::verification::checks::elementary {

/// A correctly rounded function, with its reference and with the arguments to test it on.
struct Function {
  std::string name;
  double (*of)(double x);
  void (*apply_each)(const double* x, std::size_t count, double* y);
  double (*accurate)(double x, int first_limbs);  ///< nullptr for sqrt
  /// nullptr for sqrt.
  ref::numeric::ElementaryKernels::Function ref::numeric::ElementaryKernels::*kernel;
  int (*mpfr)(mpfr_t y, const mpfr_t x, mpfr_rnd_t rounding);
  /// The range in which the fast phase decides most arguments.
  double begin, end;
  double fast_error;  ///< the relative error that the rounding test assumes
  /// Arguments at which the behavior changes: thresholds of overflow, underflow and saturation, and
  /// the ends of the domains of the phases.
  std::vector<double> edges;
};

/// Returns exp, log, tanh, erf and sqrt. All but sqrt have two phases.
const std::vector<Function>& functions();

/// Computes  the double nearest to f(x) by MPFR, ties to even; subnormal results are rounded once
double nearest(const Function& f, double x);

/// Computes  a test argument as a function of (seed, index). In turn: any 64 bits; uniform in
///           [begin, end]; any exponent from 2^-60 to 2^10 (for log, 1 +- such a number); within
///           2^12 doubles of an edge
double argument(const Function& f, std::uint64_t seed, std::uint64_t index);

/// Whether both are the same double. All NaNs count as the same.
bool same_value(double a, double b);

/// Computes  |hi + lo - f(x)| / |f(x)|, the relative error of the fast phase before rounding (for
///           exp, without the power of two), against 250 bits; x must be in the domain of the fast
///           phase
double fast_error(const Function& f, double x);
/// Whether there is a fast phase and x (for tanh and erf, |x|) is in its domain.
bool in_fast_domain(const Function& f, double x);

}  // namespace normproof::verification::checks::elementary
