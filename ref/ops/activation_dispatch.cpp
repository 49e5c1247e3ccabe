#include "ref/ops/activation_dispatch.hpp"

#include <algorithm>
#include <atomic>

#include "ref/numeric/instruction_set.hpp"
#include "ref/numeric/parallel.hpp"

namespace normproof::ref::ops {

const ActivationKernels& activation_kernels() {
#if defined(__x86_64__)
  switch (numeric::instruction_set()) {
    case numeric::InstructionSet::avx512:
      return activation_kernels_avx512;
    case numeric::InstructionSet::avx2:
      return activation_kernels_avx2;
    case numeric::InstructionSet::baseline:
      break;
  }
#endif
  return activation_kernels_baseline;
}

std::size_t find_rejected_index(
    std::size_t count, std::size_t grain,
    const std::function<std::size_t(std::size_t, std::size_t)>& kernel) {
  std::atomic<std::size_t> first = count;
  numeric::parallel_for(count, grain, [&](std::size_t begin, std::size_t end) {
    const std::size_t refused = kernel(begin, end);
    if (refused == end) return;
    std::size_t known = first;
    while (refused < known && !first.compare_exchange_weak(known, refused)) {
    }
  });
  return first;
}

}  // namespace normproof::ref::ops
