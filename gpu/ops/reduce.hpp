#pragma once

#include "gpu/device/launch.hpp"
#include "gpu/device/tensor.hpp"
#include "gpu/ops/lane_kernels.hpp"

namespace normproof::gpu::ops {

using device::Device;
using device::DeviceTensor;
using device::Shape;

/// Sums all elements.
/// Order     docs/specification/determinism.md, R2, the bits of ref/ops/reduce.hpp
/// Computes  sum_i x_i over all elements, [1]
/// Requires  (C1) at least one element
/// Throws    ContractError
DeviceTensor<double> sum_elements(const DeviceTensor<double>& x);

/// Sums each row.
/// Computes  y_i = sum_j x_ij
/// Requires  (C1) x [N,D] with extents at least 1
DeviceTensor<double> sum_rows(const DeviceTensor<double>& x);

/// Sums each column over all rows. All axes but the last are rows.
/// Computes  y_j = sum_i x_ij
/// Requires  (C1) x [..., D] of rank 2 at least, with extents at least 1
DeviceTensor<double> sum_columns(const DeviceTensor<double>& x);

/// Computes the dot product of each row of x with the same row of w. Each product is rounded before
/// it is added.
/// Computes  y_i = sum_j x_ij w_ij
/// Requires  (C1) x [N,D]  (C2) w has the shape of x
DeviceTensor<double> dot_rows(const DeviceTensor<double>& x, const DeviceTensor<double>& w);

/// Sums term(r, j) over the rows r = 0 .. rows-1 for each column j. Returns the sums, [width].
template <class Term>
DeviceTensor<double> column_sum(Device& device, std::size_t rows, std::size_t width,
                                const Term& term) {
  DeviceTensor<double> lanes(device, {kLanes, width});
  device::launch_elements(device, lanes.size(), ColumnLanes<Term>{term, rows, width, lanes.span()});
  DeviceTensor<double> sum(device, {width});
  device::launch_elements(device, width,
                          ColumnTree{std::as_const(lanes).span(), width, sum.span()});
  return sum;
}

/// Returns   the index of the first element that is not finite, or size() if all are finite. While
///           work is recorded, it always returns size(); a non-finite element then sets the
///           recording's flag
std::size_t find_first_not_finite(const DeviceTensor<double>& x);
/// Like find_first_not_finite, but finds the first element that is not finite or is less than 0.
std::size_t find_first_negative(const DeviceTensor<double>& x);
/// Like find_first_not_finite, but finds the first element that is not finite or is not greater
/// than 0.
std::size_t find_first_not_positive(const DeviceTensor<double>& x);

}  // namespace normproof::gpu::ops
