// Compiled once for each instruction set, with -DNORMPROOF_ISA=<set> and that set's flags.
#include "ref/ops/matmul_kernels.hpp"

#include "ref/ops/matmul_tile.hpp"

#define NORMPROOF_JOIN_OF(x, y) x##y
#define NORMPROOF_JOIN(x, y) NORMPROOF_JOIN_OF(x, y)

namespace normproof::ref::ops {
inline namespace NORMPROOF_ISA {
namespace {

// The tile of `rows` rows and `packs` packs among the compiled ones.
template <std::size_t kRows, std::size_t kPacks, class Rows>
__attribute__((always_inline)) inline void dispatch(std::size_t rows, std::size_t packs,
                                                    const Tile& tile, const Rows& strides) {
  if constexpr (kPacks > 1) {
    if (packs < kPacks) return dispatch<kRows, kPacks - 1>(rows, packs, tile, strides);
  }
  if constexpr (kRows > 1) {
    if (rows < kRows) return dispatch<kRows - 1, kPacks>(rows, kPacks, tile, strides);
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
              columns,
              p.add};
    for (std::size_t row = 0; row < p.rows; row += kTileRows) {
      const std::size_t below = p.rows - row;
      dispatch<kTileRows, kTilePacks>(below < kTileRows ? below : kTileRows, packs, tile, strides);
      tile.a += a_tile;
      tile.c += kTileRows * p.c_row_stride;
    }
  }
}

void multiply(const BlockProduct& p) {
  if (p.a_packed)
    multiply_rows(p, PackedRows{});
  else
    multiply_rows(p, StridedRows{p.a_row_stride, p.a_depth_stride});
}

// Both strides are tested for 1 so that the inner loop runs along memory.
void pack_panel(const PanelSource& p, double* out) {
  if (p.lane_stride == 1 && p.lanes == p.width && p.width == kTileColumns) {
    for (std::size_t k = 0; k < p.depth; ++k)
      for (std::size_t l = 0; l < kTileColumns; l += kPackWidth)
        store(out + k * kTileColumns + l, PackAt{l}(p.data + k * p.depth_stride));
    return;
  }
  if (p.lanes == p.width && p.width == kTileRows) {
    for (std::size_t k = 0; k < p.depth; ++k) {
      const double* from = p.data + k * p.depth_stride;
      double* to = out + k * kTileRows;
      unrolled<0, kTileRows>([&](auto l) __attribute__((always_inline)) {
        to[l] = from[l * p.lane_stride];
      });
    }
    return;
  }
  for (std::size_t k = 0; k < p.depth; ++k)
    for (std::size_t l = 0; l < p.width; ++l)
      out[k * p.width + l] = l < p.lanes ? p.data[k * p.depth_stride + l * p.lane_stride] : 0.0;
}

}  // namespace
}  // namespace NORMPROOF_ISA

extern const MatmulKernels NORMPROOF_JOIN(matmul_kernels_, NORMPROOF_ISA){
    kPackWidth, kTileRows, kTileColumns, pack_panel, multiply};

}  // namespace normproof::ref::ops
