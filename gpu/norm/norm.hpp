#pragma once

#include "gpu/norm/step.hpp"

namespace normproof::gpu::norm {

/// Device version with the same names, error messages and bits as ref/norm/norm.hpp.
/// Returns   the state of the layer before the first step
NamedDeviceTensors initial_state(Device& device, const ref::model::NormOptions& options,
                                 std::size_t d_model);

/// Returns the factor that the layer multiplies by: 1 + gamma if gamma is zero-centered and given,
/// else gamma.
DeviceTensor<double> effective_gamma(const DeviceTensor<double>& gamma, bool zero_centered);

/// Runs the forward of the layer that the options name. It does not use in.grad_y.
/// Requires  the preconditions of norm_forward in ref/norm
/// Throws    ContractError
NormStep norm_forward(const ref::model::NormOptions& options, const NormInputs& in,
                      const NamedDeviceTensors& state);

/// Runs the backward. Returns the gradients and the state after the step.
/// Requires  the preconditions of norm_backward in ref/norm
/// Throws    ContractError
NormStep norm_backward(const ref::model::NormOptions& options, const NormInputs& in,
                       const NormStep& forward);

}  // namespace normproof::gpu::norm
