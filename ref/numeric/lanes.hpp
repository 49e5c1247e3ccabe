#pragma once

#if defined(__AVX__) && !defined(__CUDACC__)
#include <immintrin.h>
#endif

#include "ref/numeric/device_function.hpp"
#if defined(__CUDACC__)
#define NORMPROOF_ISA cuda
#else
#include "ref/numeric/pack.hpp"
#endif

/// Operations other than + - * that are defined for `double` and for a Pack (the doubles of one
/// SIMD register), so that one formula serves both: the bits of the lanes as integers, fused
/// multiply-add, and rows of a table. Each lane computes the operation on `double`, so the bits do
/// not depend on the width of the Pack. A GPU has no Pack.
namespace normproof::ref::numeric {
inline namespace NORMPROOF_ISA {

// The integers are unsigned: sums wrap around, and shifts insert zeros.
using Int = unsigned long long;

template <class V>
struct IntegersOf;
template <>
struct IntegersOf<double> {
  using type = Int;
};
/// The type with one 64-bit integer for each lane of V: an integer for `double`, an IntPack for a
/// Pack.
template <class V>
using Integers = typename IntegersOf<V>::type;

template <class V>
[[gnu::always_inline]] NORMPROOF_DEVICE inline V constant(double c) {
  if constexpr (sizeof(V) == sizeof(double)) {
    return c;
  } else {
    V v{};
    for (int l = 0; l < static_cast<int>(sizeof(V) / sizeof(double)); ++l) v[l] = c;
    return v;
  }
}
template <class V>
[[gnu::always_inline]] NORMPROOF_DEVICE inline Integers<V> to_bits(V v) {
  return __builtin_bit_cast(Integers<V>, v);
}
[[gnu::always_inline]] NORMPROOF_DEVICE inline double from_bits(Int i) {
  return __builtin_bit_cast(double, i);
}
/// Returns `a b + c`, rounded once (fused multiply-add).
[[gnu::always_inline]] NORMPROOF_DEVICE inline double fused(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
/// Returns a mask: all bits are set if a <= b, otherwise the mask is 0. If `a` or `b` is NaN, the
/// mask is 0.
[[gnu::always_inline]] NORMPROOF_DEVICE inline Int at_most(double a, double b) {
  return -static_cast<Int>(a <= b);
}
/// Returns the smaller of `a` and `b`. If `a` is NaN, it returns `b`.
[[gnu::always_inline]] NORMPROOF_DEVICE inline double smaller(double a, double b) {
  return a < b ? a : b;
}
[[gnu::always_inline]] NORMPROOF_DEVICE inline Int same(double a, double b) {
  return -static_cast<Int>(a == b);
}
/// Whether the mask is set in every lane.
[[gnu::always_inline]] NORMPROOF_DEVICE inline bool all(Int mask) {
  return mask != 0;
}
/// One table row for each lane. Column c of row i of the table is table[i * columns + c].
template <class V, int columns>
struct Rows;
template <int columns>
struct Rows<double, columns> {
  double column[columns];
  [[gnu::always_inline]] NORMPROOF_DEVICE Rows(const double* table, Int i) {
    for (int c = 0; c < columns; ++c)
      column[c] = table[i * static_cast<Int>(columns) + static_cast<Int>(c)];
  }
};

#if !defined(__CUDACC__)
typedef Int IntPack __attribute__((vector_size(kPackBytes)));

template <>
struct IntegersOf<Pack> {
  using type = IntPack;
};

[[gnu::always_inline]] inline Pack from_bits(IntPack i) {
  return __builtin_bit_cast(Pack, i);
}
[[gnu::always_inline]] inline Pack fused(Pack a, Pack b, Pack c) {
  return fma(a, b, c);
}
[[gnu::always_inline]] inline IntPack at_most(Pack a, Pack b) {
  return __builtin_bit_cast(IntPack, a <= b);
}
[[gnu::always_inline]] inline Pack smaller(Pack a, Pack b) {
  return a < b ? a : b;
}
[[gnu::always_inline]] inline IntPack same(Pack a, Pack b) {
  return __builtin_bit_cast(IntPack, a == b);
}
[[gnu::always_inline]] inline bool all(IntPack mask) {
#if defined(__AVX512F__)
  return _mm512_movepi64_mask(__builtin_bit_cast(__m512i, mask)) == 0xff;
#elif defined(__AVX__)
  return _mm256_movemask_pd(__builtin_bit_cast(__m256d, mask)) == 0xf;
#else
  Int both = ~Int{0};
  for (std::size_t l = 0; l < kPackWidth; ++l) both &= mask[l];
  return both != 0;
#endif
}
/// Loads columns 0 and 1 of the table row of each lane.
[[gnu::always_inline]] inline void load_two_columns(const double* const* row, Pack* column) {
#if defined(__AVX512F__)
  const auto four = [](const double* a, const double* b, const double* c, const double* d) {
    const __m512d v =
        _mm512_insertf64x2(_mm512_castpd128_pd512(_mm_loadu_pd(a)), _mm_loadu_pd(b), 1);
    return _mm512_insertf64x2(_mm512_insertf64x2(v, _mm_loadu_pd(c), 2), _mm_loadu_pd(d), 3);
  };
  const __m512d even = four(row[0], row[2], row[4], row[6]);
  const __m512d odd = four(row[1], row[3], row[5], row[7]);
  column[0] = __builtin_shufflevector(even, odd, 0, 8, 2, 10, 4, 12, 6, 14);
  column[1] = __builtin_shufflevector(even, odd, 1, 9, 3, 11, 5, 13, 7, 15);
#elif defined(__AVX__)
  const __m256d even = _mm256_loadu2_m128d(row[2], row[0]);
  const __m256d odd = _mm256_loadu2_m128d(row[3], row[1]);
  column[0] = _mm256_unpacklo_pd(even, odd);
  column[1] = _mm256_unpackhi_pd(even, odd);
#else
  for (std::size_t l = 0; l < kPackWidth; ++l) {
    column[0][l] = row[l][0];
    column[1][l] = row[l][1];
  }
#endif
}
template <int columns>
struct Rows<Pack, columns> {
  static_assert(columns % 2 == 0);
  Pack column[columns];
  [[gnu::always_inline]] Rows(const double* table, IntPack i) {
    const double* row[kPackWidth];
    for (std::size_t l = 0; l < kPackWidth; ++l) row[l] = table + i[l] * static_cast<Int>(columns);
    for (int c = 0; c < columns; c += 2) {
      load_two_columns(row, column + c);
      for (std::size_t l = 0; l < kPackWidth; ++l) row[l] += 2;
    }
  }
};
#endif

}  // namespace NORMPROOF_ISA
}  // namespace normproof::ref::numeric
