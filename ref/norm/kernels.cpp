#include "ref/norm/kernels.hpp"

#include "ref/numeric/instruction_set.hpp"

namespace normproof::ref::norm {

const DoubleKernels& double_kernels() {
#if defined(__x86_64__)
  switch (numeric::instruction_set()) {
    case numeric::InstructionSet::avx512:
      return double_kernels_avx512;
    case numeric::InstructionSet::avx2:
      return double_kernels_avx2;
    case numeric::InstructionSet::baseline:
      break;
  }
#endif
  return double_kernels_baseline;
}

}  // namespace normproof::ref::norm
