#pragma once

#include <cstddef>

/// The inner loops of matmul for `double`, one table for each instruction set: plain pointers, the
/// same types for every set.
namespace normproof::ref::ops {

/// c [rows, columns] = a b, or before + a b where that is given: one chain of `depth` multiply-adds
/// for each element. `before` may be c, or a row that is repeated.
///
/// a, b are element (0, 0); element (i, k) of a is at i a_row_stride + k a_depth_stride, element
/// (k, j) of b at k b_depth_stride + j. A packed operand is a row of panels instead: of a the panel
/// p holds tile_rows rows, of b the panel q holds tile_columns columns (the last one as many packs
/// as its columns need), element (k, l) of a panel at k width + l.
struct BlockProduct {
  const double* a;
  std::size_t a_row_stride;
  std::size_t a_depth_stride;
  bool a_packed;
  const double* b;
  std::size_t b_depth_stride;
  bool b_packed;
  double* c;
  std::size_t c_row_stride;
  std::size_t c_column_stride;
  const double* before;  ///< null: nothing
  std::size_t before_row_stride;
  std::size_t before_column_stride;
  std::size_t rows;
  std::size_t columns;
  std::size_t depth;
};

/// Panels of `width` lanes, rows of a or columns of b, one after the other: each [depth, width],
/// the last one [depth, last_width] where lanes is no multiple of width; what it has too much
/// becomes +0.
struct PanelSource {
  const double* data;
  std::size_t lane_stride;
  std::size_t depth_stride;
  std::size_t lanes;
  std::size_t depth;
  std::size_t width;  ///< tile_rows or tile_columns
  std::size_t last_width;
};

/// Of a product whose columns of b lie along memory, those of a LineProduct at most.
inline constexpr std::size_t kMostLineRows = 4;

/// c [rows, columns] = a b, or before + a b where that is given, rows from 1 to kMostLineRows: one
/// chain of `depth` multiply-adds for each element. Element (k, j) of b is at k + j
/// b_column_stride, the others as those of a BlockProduct.
struct LineProduct {
  const double* a;
  std::size_t a_row_stride;
  std::size_t a_depth_stride;
  const double* b;
  std::size_t b_column_stride;
  double* c;
  std::size_t c_row_stride;
  std::size_t c_column_stride;
  const double* before;  ///< null: nothing
  std::size_t before_row_stride;
  std::size_t before_column_stride;
  std::size_t rows;
  std::size_t columns;
  std::size_t depth;
};

struct MatmulKernels {
  std::size_t pack_width;
  std::size_t tile_rows;
  std::size_t tile_columns;
  void (*pack_panels)(const PanelSource&, double* out);
  void (*multiply)(const BlockProduct&);
  void (*multiply_lines)(const LineProduct&);
};

extern const MatmulKernels matmul_kernels_baseline;
#if defined(__x86_64__)
extern const MatmulKernels matmul_kernels_avx2;
extern const MatmulKernels matmul_kernels_avx512;
#endif

/// The kernels of numeric::instruction_set().
const MatmulKernels& matmul_kernels();

}  // namespace normproof::ref::ops
