#pragma once

#include <type_traits>

#include "ref/numeric/elementary.hpp"
// The kernels look square_root up where they are defined, so elementary.hpp comes first.
#include "ref/norm/column_kernels.hpp"
#include "ref/norm/double_kernels.hpp"
#include "ref/norm/row_kernels.hpp"

namespace normproof::ref::norm {

/// The kernels of numeric::instruction_set().
const DoubleKernels& double_kernels();

/// The kernels for any scalar: for `double` those of double_kernels(), else the templates.
template <class T, bool centered>
struct Kernels {
#define NORMPROOF_KERNEL(name)                       \
  template <class... Arguments>                      \
  static void name(const Arguments&... arguments) {  \
    if constexpr (std::is_same_v<T, double>) {       \
      double_kernels().name[centered](arguments...); \
    } else {                                         \
      norm::name<centered, T>(arguments...);         \
    }                                                \
  }
  NORMPROOF_KERNEL(normalize_rows)
  NORMPROOF_KERNEL(normalize_rows_backward)
  NORMPROOF_KERNEL(column_statistics)
  NORMPROOF_KERNEL(normalize_columns)
  NORMPROOF_KERNEL(column_parameter_gradients)
  NORMPROOF_KERNEL(normalize_columns_backward)
  NORMPROOF_KERNEL(column_moments)
#undef NORMPROOF_KERNEL

  static void add_row_lanes(const RowBackward<T>& b, std::size_t begin, std::size_t end) {
    if constexpr (std::is_same_v<T, double>) {
      double_kernels().add_row_lanes(b, begin, end);
    } else {
      norm::add_row_lanes<T>(b, begin, end);
    }
  }
};

}  // namespace normproof::ref::norm
