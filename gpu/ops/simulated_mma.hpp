#pragma once

#include <cstddef>

namespace normproof::gpu::ops {

/// Sizes of SimulatedMma, the function that computes on the processor what the tensor cores compute
/// for one thread of `TensorCoreChains`. A thread has 4 x 4 pieces of two neighboring chains. A
/// call adds the next kSimulatedDepth terms to each chain in ascending order, with one fma per
/// term. In a and b, each term is a row of kSimulatedRow numbers; pieces are 8 numbers apart.
inline constexpr std::size_t kSimulatedDepth = 16, kSimulatedRow = 68, kSimulatedPieces = 4;
using SimulatedMma = void (*)(const double* a, const double* b, double* sum);

/// Returns the implementation of SimulatedMma for the processor's instruction set. All
/// implementations give the same bits.
SimulatedMma simulated_mma();

extern const SimulatedMma simulated_mma_baseline;
#if defined(__x86_64__)
extern const SimulatedMma simulated_mma_avx2, simulated_mma_avx512;
#endif

}  // namespace normproof::gpu::ops
