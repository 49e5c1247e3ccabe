#pragma once

#include "gpu/device/tensor.hpp"

namespace normproof::gpu::ops {

using device::DeviceTensor;

/// a + b, b repeated where it is shorter.
DeviceTensor<double> add(const DeviceTensor<double>& a, const DeviceTensor<double>& b);

}  // namespace normproof::gpu::ops
