#pragma once

#include "gpu/device/tensor.hpp"

namespace normproof::gpu::ops {

using device::DeviceTensor;

/// Device versions of the elementary functions exp, log, tanh and erf.
/// Computes  f(x) for each element of x, where f is the function of the same name. The result is
///           correctly rounded, with the bits of ref/numeric/elementary.hpp
DeviceTensor<double> exp(const DeviceTensor<double>& x);
DeviceTensor<double> log(const DeviceTensor<double>& x);
DeviceTensor<double> tanh(const DeviceTensor<double>& x);
DeviceTensor<double> erf(const DeviceTensor<double>& x);

}  // namespace normproof::gpu::ops
