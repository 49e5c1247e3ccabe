#pragma once

#include "gpu/device/span.hpp"

namespace normproof::gpu::ops {

using device::ConstReals;
using device::Reals;

/// Computes y = a + b, where b is repeated if it is shorter than a.
struct Add {
  ConstReals a, b;
  Reals y;
  NORMPROOF_DEVICE void operator()(std::size_t i) const { y[i] = a[i] + b[i % b.size]; }
};

}  // namespace normproof::gpu::ops
