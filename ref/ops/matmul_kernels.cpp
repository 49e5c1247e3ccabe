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

// Rows that lie along memory: out [depth, width] from data [depth, depth_stride].
template <std::size_t kWidth>
void copy_rows(const PanelSource& p, double* out) {
  for (std::size_t k = 0; k < p.depth; ++k)
    __builtin_memcpy(out + k * kWidth, p.data + k * p.depth_stride, kWidth * sizeof(double));
}

#if defined(__AVX__)
typedef double Quad __attribute__((vector_size(32)));
typedef double UnalignedQuad __attribute__((vector_size(32), aligned(8), may_alias));

// to [4, to_stride] = the transpose of from [4, from_stride].
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
  const auto put = [&](std::size_t k, const Quad& q) {
    *reinterpret_cast<UnalignedQuad*>(to + k * to_stride) = q;
  };
  put(0, __builtin_shufflevector(even_low, even_high, 0, 1, 4, 5));
  put(1, __builtin_shufflevector(odd_low, odd_high, 0, 1, 4, 5));
  put(2, __builtin_shufflevector(even_low, even_high, 2, 3, 6, 7));
  put(3, __builtin_shufflevector(odd_low, odd_high, 2, 3, 6, 7));
}
#endif

// Lanes that lie along memory: out [depth, width] from the transpose of data [width, lane_stride].
template <std::size_t kWidth>
void transpose_lanes(const PanelSource& p, double* out) {
  std::size_t k = 0;
#if defined(__AVX__)
  // The last four lanes may overlap the four before: they are written twice, with the same values.
  for (; k + 4 <= p.depth; k += 4)
    unrolled<0, (kWidth + 3) / 4>([&](auto quad) __attribute__((always_inline)) {
      const std::size_t lane = 4 * quad + 4 <= kWidth ? 4 * quad : kWidth - 4;
      transpose_quad(p.data + lane * p.lane_stride + k, p.lane_stride, out + k * kWidth + lane,
                     kWidth);
    });
#endif
  for (; k < p.depth; ++k)
    for (std::size_t l = 0; l < kWidth; ++l) out[k * kWidth + l] = p.data[l * p.lane_stride + k];
}

void pack_panel(const PanelSource& p, double* out) {
  if (p.lanes == p.width && p.lane_stride == 1) {
    if (p.width == kTileColumns) return copy_rows<kTileColumns>(p, out);
    if (p.width == kTileRows) return copy_rows<kTileRows>(p, out);
  }
  if (p.lanes == p.width && p.depth_stride == 1) {
    if (p.width == kTileColumns) return transpose_lanes<kTileColumns>(p, out);
    if (p.width == kTileRows) return transpose_lanes<kTileRows>(p, out);
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
