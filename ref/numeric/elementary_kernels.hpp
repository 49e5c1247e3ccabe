#pragma once

#include <cstddef>

namespace normproof::ref::numeric {

/// exp, log, tanh and erf compiled for one instruction set, of one `double` and of arrays.
struct ElementaryKernels {
  struct Function {
    double (*of)(double x);
    void (*of_each)(const double* x, std::size_t count, double* y);
    /// hi and lo of the fast phase, for tests; x is in the domain of the fast phase.
    void (*fast)(double x, double* hi, double* lo);
  };
  Function exp, log, tanh, erf;
  /// y[i] = exp(x[i] - m)
  void (*exp_of_difference)(const double* x, double m, std::size_t count, double* y);
};

extern const ElementaryKernels elementary_kernels_baseline;
#if defined(__x86_64__)
extern const ElementaryKernels elementary_kernels_avx2, elementary_kernels_avx512;
#endif

/// The kernels of instruction_set().
const ElementaryKernels& elementary_kernels();

}  // namespace normproof::ref::numeric
