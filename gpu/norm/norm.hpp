#pragma once

#include "gpu/norm/step.hpp"

namespace normproof::gpu::norm {

/// Device version with the same names, error messages and bits as ref/norm/norm.hpp.
/// Returns   the state before the first step
NamedDeviceTensors initial_state(Device& device, const ref::model::NormOptions& options,
                                 std::size_t d_model);

/// Returns the factor that the layer multiplies by: 1 + gamma if gamma is zero-centered and given,
/// else gamma.
DeviceTensor<double> effective_gamma(const DeviceTensor<double>& gamma, bool zero_centered);

/// Runs the forward of the layer that the options name. in.grad_y is ignored.
/// Requires  the preconditions of ref/norm's norm_forward
/// Throws    ContractError
NormStep norm_forward(const ref::model::NormOptions& options, const NormInputs& in,
                      const NamedDeviceTensors& state);

/// Runs the backward. Returns the gradients and the state after the step.
/// Requires  the preconditions of ref/norm's norm_backward
/// Throws    ContractError
NormStep norm_backward(const ref::model::NormOptions& options, const NormInputs& in,
                       const NormStep& forward);

}  // namespace normproof::gpu::norm
