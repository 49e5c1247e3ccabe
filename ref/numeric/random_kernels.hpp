#pragma once

#include <cstddef>
#include <cstdint>

namespace normproof::ref::numeric {

/// The parameters of Philox4x32-10 other than the index of an element: the two words of the key,
/// and the third word of the counter. The fourth word of the counter, the block number, is 0.
struct PhiloxStream {
  std::uint32_t key[2];
  std::uint32_t counter2;
};

/// The kernels that compute the random numbers of many elements, compiled for one instruction set.
/// All instruction sets give the same bits (docs/specification/determinism.md).
struct RandomKernels {
  /// Sets y[i] to true if n >= least, otherwise to false, for i < count. Here n is the integer
  /// formed by the upper 53 of the first 64 random bits of element first + i.
  void (*at_least)(const PhiloxStream& stream, std::uint64_t first, std::size_t count,
                   std::uint64_t least, bool* y);
};

extern const RandomKernels random_kernels_baseline;
#if defined(__x86_64__)
extern const RandomKernels random_kernels_avx2, random_kernels_avx512;
#endif

}  // namespace normproof::ref::numeric
