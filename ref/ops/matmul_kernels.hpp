#pragma once

#include <cstddef>

/// The inner loops of matmul for `double`, one table of functions per instruction set. They use
/// plain pointers and the same types for every instruction set.
namespace normproof::ref::ops {

/// A product of two matrix blocks, `c = a b`, where c is [rows, columns]. If `before` is given, it
/// is added: `c = before + a b`. Each element of the product is one chain of `depth` multiply-adds.
/// `before` may be c, or a row that is repeated.
///
/// `a` and `b` point to the first elements of their matrices. Element (i, k) of a is at
/// `i a_row_stride + k a_depth_stride`, and element (k, j) of b is at `k b_depth_stride + j`. If an
/// operand is packed, it is a sequence of panels instead. Each panel of a holds tile_rows rows of
/// a, and each panel of b holds tile_columns columns of b. The last panel of b may be narrower: its
/// number of columns is rounded up to a whole number of SIMD registers. In a panel of `width` rows
/// or columns, the element of row or column l at depth k is at `k width + l`.
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
  const double* before;  ///< null if there is nothing to add
  std::size_t before_row_stride;
  std::size_t before_column_stride;
  std::size_t rows;
  std::size_t columns;
  std::size_t depth;
};

/// A matrix that is to be packed into panels of `width` lanes. A lane is a row of the matrix `a` or
/// a column of the matrix `b`. Each panel is [depth, width]. If `lanes` is not a multiple of width,
/// the last panel is [depth, last_width], and lanes beyond the matrix are set to +0.
struct PanelSource {
  const double* data;
  std::size_t lane_stride;
  std::size_t depth_stride;
  std::size_t lanes;
  std::size_t depth;
  std::size_t width;  ///< tile_rows for a, tile_columns for b
  std::size_t last_width;
};

/// The maximum number of rows of a LineProduct.
inline constexpr std::size_t kMaxLineRows = 4;

/// A product of a few rows, 1 to `kMaxLineRows`, with a matrix b whose columns are contiguous. It
/// is `c = a b`, where c is [rows, columns]. If `before` is given, it is added: `c = before + a b`.
/// Each element of the product is one chain of `depth` multiply-adds. Element (k, j) of b is at
/// `k + j b_column_stride`. The other operands are addressed as in BlockProduct.
struct LineProduct {
  const double* a;
  std::size_t a_row_stride;
  std::size_t a_depth_stride;
  const double* b;
  std::size_t b_column_stride;
  double* c;
  std::size_t c_row_stride;
  std::size_t c_column_stride;
  const double* before;  ///< null if there is nothing to add
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

/// Returns the kernels that are compiled for the selected instruction set,
/// numeric::instruction_set().
const MatmulKernels& matmul_kernels();

}  // namespace normproof::ref::ops
