#pragma once

#include <cstddef>

namespace normproof::ref::numeric {

/// The kernels of exp, log, tanh and erf, compiled for one instruction set. They compute single
/// doubles and arrays.
struct ElementaryKernels {
  struct Function {
    double (*of)(double x);
    void (*apply_each)(const double* x, std::size_t count, double* y);
    /// Computes hi and lo, the two parts of the result of the fast phase. Tests call this function.
    /// x must be in the domain of the fast phase.
    void (*fast)(double x, double* hi, double* lo);
  };
  Function exp, log, tanh, erf;
  /// Computes y[i] = exp(x[i] - m) for i < count.
  void (*exp_of_difference)(const double* x, double m, std::size_t count, double* y);
};

extern const ElementaryKernels elementary_kernels_baseline;
#if defined(__x86_64__)
extern const ElementaryKernels elementary_kernels_avx2, elementary_kernels_avx512;
#endif

/// Returns the kernels that are compiled for instruction_set(), the selected instruction set.
const ElementaryKernels& elementary_kernels();

}  // namespace normproof::ref::numeric
