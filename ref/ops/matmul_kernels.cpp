// This file is compiled once per instruction set, with -DNORMPROOF_ISA=<set> and the compiler flags
// of that set.
#include "ref/ops/matmul_kernels.hpp"

#include "ref/ops/matmul_lines.hpp"
#include "ref/ops/matmul_tile.hpp"

#define NORMPROOF_JOIN_OF(x, y) x##y
#define NORMPROOF_JOIN(x, y) NORMPROOF_JOIN_OF(x, y)

namespace normproof::ref::ops {
inline namespace NORMPROOF_ISA {
namespace {

constexpr std::size_t kCacheLineElements = 64 / sizeof(double);  // elements of a cache line

// Calls the tile function that is compiled for `rows` rows and `packs` packs.
template <std::size_t kRows, std::size_t kPacks, class Rows>
__attribute__((always_inline)) inline void dispatch_tile(std::size_t rows, std::size_t packs,
                                                         const Tile& tile, const Rows& strides) {
  if constexpr (kPacks > 1) {
    if (packs < kPacks) return dispatch_tile<kRows, kPacks - 1>(rows, packs, tile, strides);
  }
  if constexpr (kRows > 1) {
    if (rows < kRows) return dispatch_tile<kRows - 1, kPacks>(rows, kPacks, tile, strides);
  }
  multiply_tile<kRows, kPacks>(tile, strides);
}

template <class Rows>
void multiply_rows(const BlockProduct& p, const Rows& strides) {
  const std::size_t a_tile = p.a_packed ? p.depth * kTileRows : kTileRows * p.a_row_stride;
  for (std::size_t column = 0; column < p.columns; column += kTileColumns) {
    const std::size_t left = p.columns - column;
    const std::size_t columns = left < kTileColumns ? left : kTileColumns;
    const std::size_t packs = (columns + kPackWidth - 1) / kPackWidth;
    Tile tile{p.a,
              p.b + (p.b_packed ? column * p.depth : column),
              p.b_packed ? packs * kPackWidth : p.b_depth_stride,
              p.depth,
              p.c + column * p.c_column_stride,
              p.c_row_stride,
              p.c_column_stride,
              p.before == nullptr ? nullptr : p.before + column * p.before_column_stride,
              p.before_row_stride,
              p.before_column_stride,
              columns};
    // The next panel of b is far away in memory. So each tile of c prefetches one part of it.
    const std::size_t tiles = (p.rows + kTileRows - 1) / kTileRows;
    const double* next = tile.b + kTileColumns * p.depth;
    const double* const end =
        p.b_packed && left > kTileColumns ? next + kTileColumns * p.depth : next;
    const std::size_t part =
        (kTileColumns * p.depth / tiles / kCacheLineElements + 1) * kCacheLineElements;
    for (std::size_t row = 0; row < p.rows; row += kTileRows) {
      for (std::size_t i = 0; i < part && next < end;
           i += kCacheLineElements, next += kCacheLineElements)
        __builtin_prefetch(next, 0, 2);
      const std::size_t below = p.rows - row;
      dispatch_tile<kTileRows, kTilePacks>(below < kTileRows ? below : kTileRows, packs, tile,
                                           strides);
      tile.a += a_tile;
      tile.c += kTileRows * p.c_row_stride;
      if (tile.before != nullptr) tile.before += kTileRows * p.before_row_stride;
    }
  }
}

void multiply(const BlockProduct& p) {
  if (p.a_packed)
    multiply_rows(p, PackedRows{});
  else
    multiply_rows(p, StridedRows{p.a_row_stride, p.a_depth_stride});
}

constexpr std::size_t kPrefetchedRows = 12;

// Packs lanes that are contiguous in memory. Each row of the source is distributed over all panels
// before the next row is read, because consecutive rows may be a page apart.
template <std::size_t kWidth>
void copy_rows(const PanelSource& p, std::size_t panels, double* out) {
  for (std::size_t k = 0; k < p.depth; ++k) {
    const double* from = p.data + k * p.depth_stride;
    double* to = out + k * kWidth;
    if (k + kPrefetchedRows < p.depth)
      for (std::size_t l = 0; l < panels * kWidth; l += kCacheLineElements)
        __builtin_prefetch(from + kPrefetchedRows * p.depth_stride + l);
    for (std::size_t panel = 0; panel < panels; ++panel)
      __builtin_memcpy(to + panel * kWidth * p.depth, from + panel * kWidth,
                       kWidth * sizeof(double));
  }
}

#if defined(__AVX__)
typedef double Quad __attribute__((vector_size(32)));
typedef double UnalignedQuad __attribute__((vector_size(32), aligned(8), may_alias));

// Sets the array to [4, to_stride] to the transpose of the array from [4, from_stride].
inline void transpose_quad(const double* from, std::size_t from_stride, double* to,
                           std::size_t to_stride) {
  Quad row[4];
  unrolled<0, 4>([&](auto i) __attribute__((always_inline)) {
    row[i] = *reinterpret_cast<const UnalignedQuad*>(from + i * from_stride);
  });
  const Quad even_low = __builtin_shufflevector(row[0], row[1], 0, 4, 2, 6);
  const Quad odd_low = __builtin_shufflevector(row[0], row[1], 1, 5, 3, 7);
  const Quad even_high = __builtin_shufflevector(row[2], row[3], 0, 4, 2, 6);
  const Quad odd_high = __builtin_shufflevector(row[2], row[3], 1, 5, 3, 7);
  const auto store_row = [&](std::size_t k, const Quad& q) {
    *reinterpret_cast<UnalignedQuad*>(to + k * to_stride) = q;
  };
  store_row(0, __builtin_shufflevector(even_low, even_high, 0, 1, 4, 5));
  store_row(1, __builtin_shufflevector(odd_low, odd_high, 0, 1, 4, 5));
  store_row(2, __builtin_shufflevector(even_low, even_high, 2, 3, 6, 7));
  store_row(3, __builtin_shufflevector(odd_low, odd_high, 2, 3, 6, 7));
}
#endif

// Packs lanes that are each contiguous along the depth: out [depth, width] is the transpose of data
// [width, lane_stride].
template <std::size_t kWidth>
void transpose_panel(const PanelSource& p, const double* data, double* out) {
  std::size_t k = 0;
#if defined(__AVX__)
  // The last four lanes may overlap the four lanes before them. The overlap is written twice with
  // the same values.
  for (; k + 4 <= p.depth; k += 4)
    unrolled<0, (kWidth + 3) / 4>([&](auto quad) __attribute__((always_inline)) {
      const std::size_t lane = 4 * quad + 4 <= kWidth ? 4 * quad : kWidth - 4;
      transpose_quad(data + lane * p.lane_stride + k, p.lane_stride, out + k * kWidth + lane,
                     kWidth);
    });
#endif
  for (; k < p.depth; ++k)
    for (std::size_t l = 0; l < kWidth; ++l) out[k * kWidth + l] = data[l * p.lane_stride + k];
}

template <std::size_t kWidth>
void pack_whole_panels(const PanelSource& p, std::size_t panels, double* out) {
  if (p.lane_stride == 1) return copy_rows<kWidth>(p, panels, out);
  for (std::size_t panel = 0; panel < panels; ++panel) {
    const double* data = p.data + panel * kWidth * p.lane_stride;
    double* to = out + panel * kWidth * p.depth;
    if (p.depth_stride == 1)
      transpose_panel<kWidth>(p, data, to);
    else
      for (std::size_t k = 0; k < p.depth; ++k)
        for (std::size_t l = 0; l < kWidth; ++l)
          to[k * kWidth + l] = data[k * p.depth_stride + l * p.lane_stride];
  }
}

void pack_panels(const PanelSource& p, double* out) {
  const std::size_t panels = p.lanes / p.width;
  if (p.width == kTileColumns)
    pack_whole_panels<kTileColumns>(p, panels, out);
  else
    pack_whole_panels<kTileRows>(p, panels, out);
  const std::size_t packed = panels * p.width;
  if (packed == p.lanes) return;
  const double* data = p.data + packed * p.lane_stride;
  double* to = out + packed * p.depth;
  for (std::size_t k = 0; k < p.depth; ++k)
    for (std::size_t l = 0; l < p.last_width; ++l)
      to[k * p.last_width + l] =
          packed + l < p.lanes ? data[k * p.depth_stride + l * p.lane_stride] : 0.0;
}

}  // namespace
}  // namespace NORMPROOF_ISA

extern const MatmulKernels NORMPROOF_JOIN(matmul_kernels_, NORMPROOF_ISA){
    kPackWidth, kTileRows, kTileColumns, pack_panels, multiply, multiply_lines};

}  // namespace normproof::ref::ops
