#pragma once

#include "ref/norm/kernel_arguments.hpp"

namespace normproof::ref::norm {

/// The kernels of row_kernels.hpp and column_kernels.hpp for `double`, compiled for one instruction
/// set. All sets give the same bits (docs/determinism.md): the choice is a matter of speed alone.
/// Pairs are indexed by whether the layer centres.
struct DoubleKernels {
  void (*normalize_rows[2])(const RowForward<double>&, std::size_t, std::size_t);
  void (*normalize_rows_backward[2])(const RowBackward<double>&, std::size_t, std::size_t);
  void (*add_row_lanes)(const RowBackward<double>&, std::size_t, std::size_t);
  void (*column_statistics[2])(const ColumnStatistics<double>&, std::size_t, std::size_t);
  void (*normalize_columns[2])(const ColumnForward<double>&, std::size_t, std::size_t);
  void (*column_parameter_gradients[2])(const ColumnBackward<double>&, std::size_t, std::size_t);
  void (*normalize_columns_backward[2])(const ColumnBackward<double>&, const double*, const double*,
                                        const bool*, std::size_t, std::size_t);
  void (*column_moments[2])(const ColumnBackward<double>&, const std::size_t*, std::size_t, double*,
                            double*, std::size_t, std::size_t);
};

extern const DoubleKernels double_kernels_baseline;
#if defined(__x86_64__)
extern const DoubleKernels double_kernels_avx2;
extern const DoubleKernels double_kernels_avx512;
#endif

}  // namespace normproof::ref::norm
