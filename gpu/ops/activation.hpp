#pragma once

#include "gpu/device/tensor.hpp"

namespace normproof::gpu::ops {

using device::DeviceTensor;

/// Device versions with the same formulas, preconditions, error messages and bits as
/// ref/ops/activation.hpp.
/// Requires  (C1) grad_y has the shape of x  (C2) values finite
/// Throws    ContractError
DeviceTensor<double> identity(const DeviceTensor<double>& x);
DeviceTensor<double> identity_backward(const DeviceTensor<double>& grad_y,
                                       const DeviceTensor<double>& x);
DeviceTensor<double> relu(const DeviceTensor<double>& x);
DeviceTensor<double> relu_backward(const DeviceTensor<double>& grad_y,
                                   const DeviceTensor<double>& x);
DeviceTensor<double> gelu(const DeviceTensor<double>& x);
DeviceTensor<double> gelu_backward(const DeviceTensor<double>& grad_y,
                                   const DeviceTensor<double>& x);
DeviceTensor<double> gelu_tanh(const DeviceTensor<double>& x);
DeviceTensor<double> gelu_tanh_backward(const DeviceTensor<double>& grad_y,
                                        const DeviceTensor<double>& x);
DeviceTensor<double> silu(const DeviceTensor<double>& x);
DeviceTensor<double> silu_backward(const DeviceTensor<double>& grad_y,
                                   const DeviceTensor<double>& x);

}  // namespace normproof::gpu::ops
