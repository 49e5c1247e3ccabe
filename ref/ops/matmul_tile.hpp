#pragma once

#include "ref/ops/matmul_kernels.hpp"
#include "ref/ops/pack.hpp"

/// Computes one tile (a small block) of c, with its sums in registers. The chain of multiply-adds
/// of an element does not depend on the size of the tile.
namespace normproof::ref::ops {
inline namespace NORMPROOF_ISA {

using numeric::broadcast;
using numeric::fma;

// The tile uses all registers of the instruction set: for the sums, for one row of packs of b, and
// for one element of a.
inline constexpr std::size_t kTileRows = kPackWidth == 8 ? 8 : 6;
inline constexpr std::size_t kTilePacks = kPackWidth == 8 ? 3 : kPackWidth == 4 ? 2 : 4;
inline constexpr std::size_t kTileColumns = kTilePacks * kPackWidth;

// Unrolls a loop before any optimization, so that arrays become registers: it calls f(Index<0>{}),
// f(Index<1>{}), ... It must not use the standard library (ref/numeric/pack.hpp explains why).
template <std::size_t i>
struct Index {
  constexpr operator std::size_t() const { return i; }
};
template <std::size_t begin, std::size_t end, class F>
__attribute__((always_inline)) inline void unrolled(F&& f) {
  if constexpr (begin < end) {
    f(Index<begin>{});
    unrolled<begin + 1, end>(f);
  }
}

/// The strides of the left operand of a product if it is packed into panels: between its rows, and
/// between steps of the depth. StridedRows has the strides of the original matrix.
struct PackedRows {
  std::size_t row_stride() const { return 1; }
  std::size_t depth_stride() const { return kTileRows; }
};
struct StridedRows {
  std::size_t row;
  std::size_t depth;
  std::size_t row_stride() const { return row; }
  std::size_t depth_stride() const { return depth; }
};

struct Tile {
  const double* a;
  const double* b;
  std::size_t b_depth_stride;
  std::size_t depth;
  double* c;
  std::size_t c_row_stride;
  std::size_t c_column_stride;
  const double* before;  ///< null if there is nothing to add
  std::size_t before_row_stride;
  std::size_t before_column_stride;
  std::size_t columns;  ///< columns of c, at most kPacks packs; b is padded to whole packs
};

template <std::size_t kRows, std::size_t kPacks, class Rows>
void multiply_tile(const Tile& t, const Rows rows) {
  Pack sum[kRows * kPacks];
  unrolled<0, kRows * kPacks>([&](auto i) __attribute__((always_inline)) { sum[i] = Pack{}; });
  // Prefetches c, which is read after the chain is computed.
  unrolled<0, kRows>([&](auto i) __attribute__((always_inline)) {
    __builtin_prefetch(t.c + i * t.c_row_stride, 1, 3);
  });
  const double* a = t.a;
  const double* b = t.b;
  const std::size_t row_stride = rows.row_stride();
  const std::size_t depth_stride = rows.depth_stride();
  const std::size_t b_depth_stride = t.b_depth_stride;
#pragma GCC unroll 4
  for (std::size_t k = t.depth; k > 0; --k) {
    Pack right[kPacks];
    unrolled<0, kPacks>([&](auto j) __attribute__((always_inline)) {
      right[j] = PackPosition{j * kPackWidth}(b);
    });
    unrolled<0, kRows>([&](auto i) __attribute__((always_inline)) {
      const Pack left = broadcast(a[i * row_stride]);
      unrolled<0, kPacks>([&](auto j) __attribute__((always_inline)) {
        sum[i * kPacks + j] = fma(left, right[j], sum[i * kPacks + j]);
      });
    });
    a += depth_stride;
    b += b_depth_stride;
  }
  const double* before = t.before;
  if (t.columns == kPacks * kPackWidth && t.c_column_stride == 1 &&
      (before == nullptr || t.before_column_stride == 1)) {
    unrolled<0, kRows>([&](auto i) __attribute__((always_inline)) {
      double* c = t.c + i * t.c_row_stride;
      unrolled<0, kPacks>([&](auto j) __attribute__((always_inline)) {
        const Pack product = sum[i * kPacks + j];
        store(c + j * kPackWidth,
              before == nullptr ? product : PackPosition{j * kPackWidth}(before) + product);
      });
      if (before != nullptr) before += t.before_row_stride;
    });
    return;
  }
  double product[kRows * kPacks * kPackWidth];
  unrolled<0, kRows * kPacks>([&](auto i) __attribute__((always_inline)) {
    store(product + i * kPackWidth, sum[i]);
  });
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t j = 0; j < t.columns; ++j) {
      const double p = product[i * kPacks * kPackWidth + j];
      t.c[i * t.c_row_stride + j * t.c_column_stride] =
          before == nullptr ? p : before[i * t.before_row_stride + j * t.before_column_stride] + p;
    }
}

}  // namespace NORMPROOF_ISA
}  // namespace normproof::ref::ops
