#pragma once

#include <cstddef>

namespace normproof::gpu::ops {

/// What the tensor cores do for one thread (TensorCells), on the processor: the chains of its 4 x 4
/// pieces, two neighbours in each, take the next kSimulatedDepth terms, one fma a term, ascending.
/// Of the terms of a and of b each is a row of kSimulatedRow numbers; pieces are 8 numbers apart.
inline constexpr std::size_t kSimulatedDepth = 16, kSimulatedRow = 68, kSimulatedPieces = 4;
using SimulatedMma = void (*)(const double* a, const double* b, double* sum);

/// That of this processor. All instruction sets give the same bits.
SimulatedMma simulated_mma();

extern const SimulatedMma simulated_mma_baseline;
#if defined(__x86_64__)
extern const SimulatedMma simulated_mma_avx2, simulated_mma_avx512;
#endif

}  // namespace normproof::gpu::ops
