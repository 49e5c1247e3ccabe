#pragma once

#include "gpu/device/span.hpp"

namespace normproof::gpu::ops {

using device::ConstReals;
using device::Reals;

/// Computes y = a + b. If `b` has fewer elements than `a`, `b` is repeated.
struct Add {
  ConstReals a, b;
  Reals y;
  NORMPROOF_DEVICE void operator()(std::size_t i) const { y[i] = a[i] + b[i % b.size]; }
};

}  // namespace normproof::gpu::ops
