#pragma once

#include <cstddef>
#include <cstdint>

namespace normproof::ref::numeric {

/// What Philox4x32-10 takes besides the number of an element: the words of the key, and the third
/// word of the counter. The fourth, the block, is 0.
struct PhiloxStream {
  std::uint32_t key[2];
  std::uint32_t counter2;
};

/// The random numbers of many elements at once, compiled for one instruction set. All sets give the
/// same bits (docs/specification/determinism.md).
struct RandomKernels {
  /// y[i]: are the upper 53 of the first 64 bits of element first + i, as a number, >= least?
  void (*at_least)(const PhiloxStream& stream, std::uint64_t first, std::size_t count,
                   std::uint64_t least, bool* y);
};

extern const RandomKernels random_kernels_baseline;
#if defined(__x86_64__)
extern const RandomKernels random_kernels_avx2, random_kernels_avx512;
#endif

}  // namespace normproof::ref::numeric
