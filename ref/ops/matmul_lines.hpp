#pragma once

#include <cstdint>

#include "ref/ops/matmul_tile.hpp"

/// Multiplies a few rows of a matrix `a` by the contiguous columns of a matrix `b`, without packing
/// `b`. The columns are read only once, so packing them would cost more than multiplying.
namespace normproof::ref::ops {
inline namespace NORMPROOF_ISA {

/// Transposes a square block of kPackWidth packs in place.
inline void transpose_square([[maybe_unused]] Pack (&row)[kPackWidth]) {
#if defined(__AVX512F__)
  Pack pair[8], quad[8];
  unrolled<0, 4>([&](auto i) __attribute__((always_inline)) {
    const Pack &x = row[2 * i], &y = row[2 * i + 1];
    pair[2 * i] = __builtin_shufflevector(x, y, 0, 8, 2, 10, 4, 12, 6, 14);
    pair[2 * i + 1] = __builtin_shufflevector(x, y, 1, 9, 3, 11, 5, 13, 7, 15);
  });
  unrolled<0, 4>([&](auto i) __attribute__((always_inline)) {
    // The values of `at` are 0, 1, 4, 5. The partner rows, two rows below, are 2, 3, 6, 7.
    constexpr std::size_t at = (i & 1) + 4 * (i >> 1);
    const Pack &x = pair[at], &y = pair[at + 2];
    quad[at] = __builtin_shufflevector(x, y, 0, 1, 8, 9, 4, 5, 12, 13);
    quad[at + 2] = __builtin_shufflevector(x, y, 2, 3, 10, 11, 6, 7, 14, 15);
  });
  unrolled<0, 4>([&](auto i) __attribute__((always_inline)) {
    row[i] = __builtin_shufflevector(quad[i], quad[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    row[i + 4] = __builtin_shufflevector(quad[i], quad[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  });
#elif defined(__AVX__)
  const Pack even_low = __builtin_shufflevector(row[0], row[1], 0, 4, 2, 6);
  const Pack odd_low = __builtin_shufflevector(row[0], row[1], 1, 5, 3, 7);
  const Pack even_high = __builtin_shufflevector(row[2], row[3], 0, 4, 2, 6);
  const Pack odd_high = __builtin_shufflevector(row[2], row[3], 1, 5, 3, 7);
  row[0] = __builtin_shufflevector(even_low, even_high, 0, 1, 4, 5);
  row[1] = __builtin_shufflevector(odd_low, odd_high, 0, 1, 4, 5);
  row[2] = __builtin_shufflevector(even_low, even_high, 2, 3, 6, 7);
  row[3] = __builtin_shufflevector(odd_low, odd_high, 2, 3, 6, 7);
#else
  static_assert(kPackWidth == 2);
  const double x = row[0][1];
  row[0][1] = row[1][0];
  row[1][0] = x;
#endif
}

/// Prefetches p[elements]. The next columns of b are far away in memory, so the processor does not
/// prefetch them by itself. The address may lie beyond the end of b.
inline void prefetch_at_offset(const double* p, std::size_t elements) {
  const auto at = reinterpret_cast<std::uintptr_t>(p) + elements * sizeof(double);
  __builtin_prefetch(__builtin_bit_cast(const void*, at), 0, 3);
}

/// Computes the elements of c in kRows rows and up to kPackWidth columns, starting at `column`.
/// Each element is the result of one chain of multiply-adds. `columns` is the number of columns to
/// compute.
template <std::size_t kRows>
void multiply_square_block(const LineProduct& p, std::size_t column, std::size_t columns) {
  const double* const b = p.b + column * p.b_column_stride;
  Pack sum[kRows];
  unrolled<0, kRows>([&](auto i) __attribute__((always_inline)) { sum[i] = Pack{}; });
  const auto add_terms = [&](const Pack& right, std::size_t k) __attribute__((always_inline)) {
    unrolled<0, kRows>([&](auto i) __attribute__((always_inline)) {
      sum[i] = fma(broadcast(p.a[i * p.a_row_stride + k * p.a_depth_stride]), right, sum[i]);
    });
  };
  std::size_t k = 0;
  if (columns == kPackWidth)
    for (; k + kPackWidth <= p.depth; k += kPackWidth) {
      Pack right[kPackWidth];
      unrolled<0, kPackWidth>([&](auto j) __attribute__((always_inline)) {
        right[j] = PackPosition{k}(b + j * p.b_column_stride);
        prefetch_at_offset(b + j * p.b_column_stride + k, kPackWidth * p.b_column_stride);
      });
      transpose_square(right);
      unrolled<0, kPackWidth>([&](auto j)
                                  __attribute__((always_inline)) { add_terms(right[j], k + j); });
    }
  for (; k < p.depth; ++k) {
    Pack right{};
    for (std::size_t j = 0; j < columns; ++j) right[j] = b[j * p.b_column_stride + k];
    add_terms(right, k);
  }
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t j = 0; j < columns; ++j) {
      const std::size_t at = column + j;
      p.c[i * p.c_row_stride + at * p.c_column_stride] =
          p.before == nullptr
              ? sum[i][j]
              : p.before[i * p.before_row_stride + at * p.before_column_stride] + sum[i][j];
    }
}

template <std::size_t kRows>
void multiply_rows_of_lines(const LineProduct& p) {
  for (std::size_t column = 0; column < p.columns; column += kPackWidth) {
    const std::size_t left = p.columns - column;
    multiply_square_block<kRows>(p, column, left < kPackWidth ? left : kPackWidth);
  }
}

inline void multiply_lines(const LineProduct& p) {
  if (p.rows == 1) return multiply_rows_of_lines<1>(p);
  if (p.rows == 2) return multiply_rows_of_lines<2>(p);
  if (p.rows == 3) return multiply_rows_of_lines<3>(p);
  multiply_rows_of_lines<kMaxLineRows>(p);
}

}  // namespace NORMPROOF_ISA
}  // namespace normproof::ref::ops
