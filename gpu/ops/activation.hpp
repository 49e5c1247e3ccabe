#pragma once

#include "gpu/device/tensor.hpp"

namespace normproof::gpu::ops {

using device::DeviceTensor;

/// Device versions with the same formulas, preconditions, error messages and bits as
/// ref/ops/activation.hpp.
/// Requires  (C1) grad_y has the shape of x  (C2) values finite
///           (C4) softplus: beta is finite and > 0; threshold is >= 0, and may be infinite
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
DeviceTensor<double> relu_squared(const DeviceTensor<double>& x);
DeviceTensor<double> relu_squared_backward(const DeviceTensor<double>& grad_y,
                                           const DeviceTensor<double>& x);
DeviceTensor<double> sigmoid(const DeviceTensor<double>& x);
DeviceTensor<double> sigmoid_backward(const DeviceTensor<double>& grad_y,
                                      const DeviceTensor<double>& x);
DeviceTensor<double> log_sigmoid(const DeviceTensor<double>& x);
DeviceTensor<double> log_sigmoid_backward(const DeviceTensor<double>& grad_y,
                                          const DeviceTensor<double>& x);
DeviceTensor<double> tanh_activation(const DeviceTensor<double>& x);
DeviceTensor<double> tanh_activation_backward(const DeviceTensor<double>& grad_y,
                                              const DeviceTensor<double>& x);
DeviceTensor<double> mish(const DeviceTensor<double>& x);
DeviceTensor<double> mish_backward(const DeviceTensor<double>& grad_y,
                                   const DeviceTensor<double>& x);
DeviceTensor<double> softplus(const DeviceTensor<double>& x, double beta, double threshold);
DeviceTensor<double> softplus_backward(const DeviceTensor<double>& grad_y,
                                       const DeviceTensor<double>& x, double beta,
                                       double threshold);

}  // namespace normproof::gpu::ops
