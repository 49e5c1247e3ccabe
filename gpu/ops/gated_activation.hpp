#pragma once

#include <limits>

#include "gpu/device/tensor.hpp"

namespace normproof::gpu::ops {

using device::DeviceTensor;

struct DeviceGatedGradients {
  DeviceTensor<double> x, gate;
};

/// The parameters of swiglu. An infinite limit limits nothing.
struct DeviceSwigluParameters {
  double limit = std::numeric_limits<double>::infinity();
  double alpha = 1, beta = 0;
};

/// Device versions with the same formulas, preconditions, error messages and bits as
/// ref/ops/gated_activation.hpp.
/// Requires  (C1) gate and grad_y have the shape of x  (C2) values finite  (C3) grad_y gate does
///           not overflow  (C4) limit > 0, alpha is finite and > 0, beta is finite  (C5) alpha x
///           does not overflow
/// Throws    ContractError
DeviceTensor<double> swiglu(const DeviceTensor<double>& x, const DeviceTensor<double>& gate,
                            const DeviceSwigluParameters& parameters = {});
DeviceGatedGradients swiglu_backward(const DeviceTensor<double>& grad_y,
                                     const DeviceTensor<double>& x,
                                     const DeviceTensor<double>& gate,
                                     const DeviceSwigluParameters& parameters = {});
DeviceTensor<double> geglu(const DeviceTensor<double>& x, const DeviceTensor<double>& gate);
DeviceGatedGradients geglu_backward(const DeviceTensor<double>& grad_y,
                                    const DeviceTensor<double>& x,
                                    const DeviceTensor<double>& gate);

}  // namespace normproof::gpu::ops
