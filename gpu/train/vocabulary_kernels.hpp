#pragma once

#include "gpu/ops/lane_kernels.hpp"

namespace normproof::gpu::train {

/// Copies a range: element i of y is element first + i of x.
struct CopyRange {
  device::ConstReals x;
  std::size_t first;
  device::Reals y;
  NORMPROOF_DEVICE void operator()(std::size_t i) const { y[i] = x[first + i]; }
};

/// Continues a column sum (ops/lane_kernels.hpp): adds the rows of x to the lanes that already hold
/// the sums of earlier rows. Element i of the kernel is lane `i/width` of column `i%width`. The
/// number of earlier rows must be a multiple of 32.
struct ContinueColumnLanes {
  device::ConstReals x;  ///< [rows, width]
  std::size_t width;
  device::Reals lanes;  ///< [32, width]
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    double sum = lanes[i];
    for (std::size_t at = i; at < x.size; at += ops::kLanes * width) sum += x[at];
    lanes[i] = sum;
  }
};

}  // namespace normproof::gpu::train
