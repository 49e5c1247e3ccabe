#pragma once

#include "gpu/device/tensor.hpp"

namespace normproof::gpu::ops {

using device::DeviceTensor;

/// Adds two tensors. If `b` has fewer elements than `a`, `b` is repeated.
DeviceTensor<double> add(const DeviceTensor<double>& a, const DeviceTensor<double>& b);

}  // namespace normproof::gpu::ops
