#pragma once

#include "gpu/device/tensor.hpp"

namespace normproof::gpu::ops {

using device::DeviceTensor;

/// Apply an elementary function f (exp, log, tanh or erf) to each element.
/// Computes  f(x) for each element, correctly rounded, with the bits of ref/numeric/elementary.hpp
DeviceTensor<double> exp(const DeviceTensor<double>& x);
DeviceTensor<double> log(const DeviceTensor<double>& x);
DeviceTensor<double> tanh(const DeviceTensor<double>& x);
DeviceTensor<double> erf(const DeviceTensor<double>& x);

}  // namespace normproof::gpu::ops
