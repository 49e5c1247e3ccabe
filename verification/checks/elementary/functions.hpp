#pragma once

#include <mpfr.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ref/numeric/elementary_kernels.hpp"

namespace normproof::verification::checks::elementary {

/// A correctly rounded function of ref, its MPFR reference, and the arguments for testing it.
struct Function {
  std::string name;
  double (*of)(double x);
  void (*apply_each)(const double* x, std::size_t count, double* y);
  double (*accurate)(double x, int first_limbs);  ///< nullptr for sqrt
  /// The kernel of the function; nullptr for sqrt, which has none.
  ref::numeric::ElementaryKernels::Function ref::numeric::ElementaryKernels::*kernel;
  int (*mpfr)(mpfr_t y, const mpfr_t x, mpfr_rnd_t rounding);
  /// The range of arguments for which the fast phase is conclusive almost always.
  double begin, end;
  double fast_error;  ///< the relative error that the rounding test assumes
  /// Arguments at which the behavior changes: thresholds of overflow, underflow and saturation, and
  /// the ends of the domains of the phases.
  std::vector<double> edges;
};

/// Returns exp, log, tanh, erf and sqrt. All except sqrt have a fast and an accurate phase.
const std::vector<Function>& functions();

/// Returns the correct result of f, computed by MPFR.
/// Computes  the double nearest to f(x), ties to even; subnormal results are rounded only once
double nearest(const Function& f, double x);

/// Returns a test argument, determined by seed and index.
/// Computes  one of four kinds, in turn: random 64 bits; a uniform number in [begin, end]; a number
///           with a random magnitude from 2^-60 to 2^10 (for log, 1 plus or minus such a number); a
///           double at most 2^12 steps from one of `edges`
double argument(const Function& f, std::uint64_t seed, std::uint64_t index);

/// Whether a and b are the same double. All NaNs count as the same.
bool is_same_value(double a, double b);

/// Returns the relative error of the fast phase before rounding. For exp, the power of two is left
/// out.
/// Computes  |hi + lo - f(x)| / |f(x)| with f(x) at 250 bits; x must be in the domain of the fast
///           phase
double fast_error(const Function& f, double x);
/// Whether f has a fast phase and x is in its domain. For tanh and erf, |x| must be in the domain.
bool is_in_fast_domain(const Function& f, double x);

}  // namespace normproof::verification::checks::elementary
