#pragma once

#include "gpu/device/tensor.hpp"
#include "ref/model/operation.hpp"

namespace normproof::gpu::nn {

using device::DeviceTensor;

/// Device versions with the same formulas, preconditions, error messages and bits as
/// ref/nn/rotary_embedding.hpp.
/// Throws    ContractError
DeviceTensor<double> rotary_embedding(const DeviceTensor<double>& x,
                                      const DeviceTensor<double>& cos,
                                      const DeviceTensor<double>& sin,
                                      const ref::model::RopeOptions& options = {});
DeviceTensor<double> rotary_embedding_backward(const DeviceTensor<double>& grad_y,
                                               const DeviceTensor<double>& cos,
                                               const DeviceTensor<double>& sin,
                                               const ref::model::RopeOptions& options = {});

}  // namespace normproof::gpu::nn
