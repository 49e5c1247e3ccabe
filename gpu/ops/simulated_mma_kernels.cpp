// This file is compiled once for each instruction set, with -DNORMPROOF_ISA=<set> and that set's
// flags.
#include "gpu/ops/simulated_mma.hpp"

#define NORMPROOF_JOIN_OF(x, y) x##y
#define NORMPROOF_JOIN(x, y) NORMPROOF_JOIN_OF(x, y)

namespace normproof::gpu::ops {
namespace {

void add_terms(const double* a, const double* b, double* sum) {
  for (std::size_t i = 0; i < kSimulatedPieces; ++i)
    for (std::size_t j = 0; j < kSimulatedPieces; ++j, sum += 2) {
      double left = sum[0], right = sum[1];
      for (std::size_t k = 0; k < kSimulatedDepth; ++k) {
        const double* const pair = b + k * kSimulatedRow + j * 8;
        left = __builtin_fma(a[k * kSimulatedRow + i * 8], pair[0], left);
        right = __builtin_fma(a[k * kSimulatedRow + i * 8], pair[1], right);
      }
      sum[0] = left;
      sum[1] = right;
    }
}

}  // namespace

extern const SimulatedMma NORMPROOF_JOIN(simulated_mma_, NORMPROOF_ISA) = add_terms;

}  // namespace normproof::gpu::ops
