#include "ref/numeric/elementary_array.hpp"

#include "ref/numeric/elementary_kernels.hpp"
#include "ref/numeric/fp_environment.hpp"
#include "ref/numeric/instruction_set.hpp"

namespace normproof::ref::numeric {

const ElementaryKernels& elementary_kernels() {
#if defined(__x86_64__)
  switch (instruction_set()) {
    case InstructionSet::avx512:
      return elementary_kernels_avx512;
    case InstructionSet::avx2:
      return elementary_kernels_avx2;
    case InstructionSet::baseline:
      break;
  }
#endif
  return elementary_kernels_baseline;
}

#define NORMPROOF_FUNCTION(f)                             \
  double f(double x) {                                    \
    return elementary_kernels().f.of(x);                  \
  }                                                       \
  void f(const double* x, std::size_t count, double* y) { \
    check_fp_mode();                                      \
    elementary_kernels().f.apply_each(x, count, y);       \
  }
NORMPROOF_FUNCTION(exp)
NORMPROOF_FUNCTION(log)
NORMPROOF_FUNCTION(tanh)
NORMPROOF_FUNCTION(erf)
#undef NORMPROOF_FUNCTION

void exp_of_difference(const double* x, double m, std::size_t count, double* y) {
  check_fp_mode();
  elementary_kernels().exp_of_difference(x, m, count, y);
}

}  // namespace normproof::ref::numeric
