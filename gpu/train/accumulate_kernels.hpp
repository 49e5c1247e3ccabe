#pragma once

#include "gpu/device/span.hpp"

namespace normproof::gpu::train {

using device::ConstIndices;
using device::ConstReals;
using device::Reals;

/// Rows of two gradients added where both have them: 0 + a + b.
struct SumOfRows {
  ConstReals a, b;
  ConstIndices of_a, of_b;  ///< for each row of the sum its row of a, of b, or past the end
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

/// y = y / divisor
struct DivideInPlace {
  double divisor;
  Reals y;
  NORMPROOF_DEVICE void operator()(std::size_t i) const { y[i] /= divisor; }
};

}  // namespace normproof::gpu::train
