#pragma once

#include <cstddef>
#include <cstdint>

namespace normproof::ref::numeric {

/// The inputs of Philox4x32-10 other than the index of an element: the words of the key, and the
/// third word of the counter. The fourth word, the block, is 0.
struct PhiloxStream {
  std::uint32_t key[2];
  std::uint32_t counter2;
};

/// Kernels that compute the random numbers of many elements, compiled for one instruction set. All
/// sets give the same bits (docs/specification/determinism.md).
struct RandomKernels {
  /// Sets y[i] to whether the upper 53 of the first 64 bits of element first + i, read as a number,
  /// are at least `least`.
  void (*at_least)(const PhiloxStream& stream, std::uint64_t first, std::size_t count,
                   std::uint64_t least, bool* y);
};

extern const RandomKernels random_kernels_baseline;
#if defined(__x86_64__)
extern const RandomKernels random_kernels_avx2, random_kernels_avx512;
#endif

}  // namespace normproof::ref::numeric
