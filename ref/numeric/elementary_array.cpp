#include "ref/numeric/elementary_array.hpp"

#include "ref/numeric/elementary_kernels.hpp"
#include "ref/numeric/instruction_set.hpp"

namespace normproof::ref::numeric {

const ElementaryKernels& elementary_kernels() {
#if defined(__x86_64__)
  switch (instruction_set()) {
    case InstructionSet::avx512: return elementary_kernels_avx512;
    case InstructionSet::avx2: return elementary_kernels_avx2;
    case InstructionSet::baseline: break;
  }
#endif
  return elementary_kernels_baseline;
}

void exp(const double* x, std::size_t count, double* y) {
  elementary_kernels().exp.of_each(x, count, y);
}
void log(const double* x, std::size_t count, double* y) {
  elementary_kernels().log.of_each(x, count, y);
}
void tanh(const double* x, std::size_t count, double* y) {
  elementary_kernels().tanh.of_each(x, count, y);
}
void erf(const double* x, std::size_t count, double* y) {
  elementary_kernels().erf.of_each(x, count, y);
}

}  // namespace normproof::ref::numeric
