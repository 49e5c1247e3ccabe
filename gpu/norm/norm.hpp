#pragma once

#include "gpu/norm/step.hpp"

namespace normproof::gpu::norm {

/// ref/norm/norm.hpp on a device: the same names, sentences and bits.
/// The state before the first step.
NamedDeviceTensors initial_state(Device& device, const ref::model::NormOptions& options,
                                 std::size_t d_model);

/// What the layer multiplies by: 1 + gamma where gamma is zero-centred and given.
DeviceTensor<double> scale_of(const DeviceTensor<double>& gamma, bool zero_centred);

/// The forward of the layer that options name; in.grad_y is not looked at.
/// Requires  those of ref/norm's norm_forward
/// Throws    ContractError
NormStep norm_forward(const ref::model::NormOptions& options, const NormInputs& in,
                      const NamedDeviceTensors& state);

/// The backward to it: the gradients, and the state after the step.
/// Requires  those of ref/norm's norm_backward
/// Throws    ContractError
NormStep norm_backward(const ref::model::NormOptions& options, const NormInputs& in,
                       const NormStep& forward);

}  // namespace normproof::gpu::norm
