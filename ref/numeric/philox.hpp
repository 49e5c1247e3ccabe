#pragma once

#include <cstdint>

#if defined(__SSE2__) && !defined(__CUDACC__)
#include <immintrin.h>
#endif

#include "ref/numeric/lanes.hpp"
#include "ref/numeric/random_kernels.hpp"

/// The random number generator Philox4x32-10, for one element or for a pack of elements (one per
/// lane).
namespace normproof::ref::numeric {
inline namespace NORMPROOF_ISA {

inline constexpr Int kLowWord = 0xffffffff;

/// Returns, in each lane, the product of the lower 32 bits of a and of b. The upper 32 bits of the
/// operands are ignored.
[[gnu::always_inline]] NORMPROOF_DEVICE inline Int multiply_low(Int a, Int b) {
  return (a & kLowWord) * (b & kLowWord);
}
#if !defined(__CUDACC__)
[[gnu::always_inline]] inline IntPack multiply_low(IntPack a, IntPack b) {
#if defined(__AVX512F__)
  // The mask selects all lanes. The version without a mask causes a warning in GCC 12.
  return __builtin_bit_cast(IntPack, _mm512_maskz_mul_epu32(0xff, __builtin_bit_cast(__m512i, a),
                                                            __builtin_bit_cast(__m512i, b)));
#elif defined(__AVX2__)
  return __builtin_bit_cast(
      IntPack, _mm256_mul_epu32(__builtin_bit_cast(__m256i, a), __builtin_bit_cast(__m256i, b)));
#elif defined(__SSE2__)
  return __builtin_bit_cast(
      IntPack, _mm_mul_epu32(__builtin_bit_cast(__m128i, a), __builtin_bit_cast(__m128i, b)));
#else
  return (a & kLowWord) * (b & kLowWord);
#endif
}
#endif

template <class V>
[[gnu::always_inline]] NORMPROOF_DEVICE inline V all_lanes(Int value) {
  return V{} + value;
}

/// Returns the upper 53 of the first 64 random bits of each element. Each word of the generator's
/// state lies in the lower half of a lane; the upper half is never read.
template <class V>
[[gnu::always_inline]] NORMPROOF_DEVICE inline V upper_bits(const PhiloxStream& stream, V index) {
  constexpr Int kMultiplier0 = 0xd2511f53, kMultiplier1 = 0xcd9e8d57;  // [SMDS11], Philox4x32
  constexpr std::uint32_t kWeyl0 = 0x9e3779b9, kWeyl1 = 0xbb67ae85;
  V word0 = index, word1 = index >> 32, word2 = all_lanes<V>(stream.counter2), word3 = V{};
  std::uint32_t key0 = stream.key[0], key1 = stream.key[1];
  for (int round = 0; round < 10; ++round) {
    const V product0 = multiply_low(word0, all_lanes<V>(kMultiplier0));
    const V product1 = multiply_low(word2, all_lanes<V>(kMultiplier1));
    word0 = (product1 >> 32) ^ word1 ^ all_lanes<V>(key0);
    word1 = product1;
    word2 = (product0 >> 32) ^ word3 ^ all_lanes<V>(key1);
    word3 = product0;
    key0 += kWeyl0;
    key1 += kWeyl1;
  }
  return ((word1 << 32) | (word0 & kLowWord)) >> 11;
}

}  // namespace NORMPROOF_ISA
}  // namespace normproof::ref::numeric
