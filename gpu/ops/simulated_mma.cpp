#include "gpu/ops/simulated_mma.hpp"

#include "ref/numeric/instruction_set.hpp"

namespace normproof::gpu::ops {

SimulatedMma simulated_mma() {
#if defined(__x86_64__)
  switch (ref::numeric::instruction_set()) {
    case ref::numeric::InstructionSet::avx512:
      return simulated_mma_avx512;
    case ref::numeric::InstructionSet::avx2:
      return simulated_mma_avx2;
    case ref::numeric::InstructionSet::baseline:
      break;
  }
#endif
  return simulated_mma_baseline;
}

}  // namespace normproof::gpu::ops
