#pragma once

#include "gpu/device/tensor.hpp"

namespace normproof::gpu::ops {

using device::DeviceTensor;

/// Returns   a + b, where b is repeated if it is shorter than a
DeviceTensor<double> add(const DeviceTensor<double>& a, const DeviceTensor<double>& b);

}  // namespace normproof::gpu::ops
