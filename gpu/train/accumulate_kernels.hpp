#pragma once

#include "gpu/device/span.hpp"

namespace normproof::gpu::train {

using device::ConstIndices;
using device::ConstReals;
using device::Reals;

/// Adds two gradients that are stored by rows. Each element is 0 + a + b; a gradient that does not
/// contain the row is skipped.
struct SumOfRows {
  ConstReals a, b;
  /// For each row of the sum, its index in the gradient a and its index in the gradient b. If a
  /// gradient does not contain the row, the index is past the end of this gradient.
  ConstIndices of_a, of_b;
  std::size_t width;
  Reals sum;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    const std::size_t in_a = of_a[i / width] * width + i % width;
    const std::size_t in_b = of_b[i / width] * width + i % width;
    double total = 0;
    if (in_a < a.size) total += a[in_a];
    if (in_b < b.size) total += b[in_b];
    sum[i] = total;
  }
};

/// Divides each element of y by the divisor.
struct DivideInPlace {
  double divisor;
  Reals y;
  NORMPROOF_DEVICE void operator()(std::size_t i) const { y[i] /= divisor; }
};

}  // namespace normproof::gpu::train
