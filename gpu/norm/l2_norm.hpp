#pragma once

#include "gpu/device/tensor.hpp"
#include "ref/model/operation.hpp"

namespace normproof::gpu::norm {

/// Device version with the same formulas, preconditions, error messages and bits as
/// ref/norm/l2_norm.hpp.
/// Throws    ContractError
device::DeviceTensor<double> l2_norm(const device::DeviceTensor<double>& x,
                                     const ref::model::L2NormOptions& options = {});

/// The backward of l2_norm.
device::DeviceTensor<double> l2_norm_backward(const device::DeviceTensor<double>& grad_y,
                                              const device::DeviceTensor<double>& x,
                                              const ref::model::L2NormOptions& options = {});

}  // namespace normproof::gpu::norm
