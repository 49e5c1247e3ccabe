#pragma once

#include "gpu/norm/step.hpp"

namespace normproof::gpu::norm {

/// ref/norm/norm.hpp on a device: the same names, sentences and bits.
/// The state before the first step.
NamedDeviceTensors initial_state(Device& device, const ref::model::NormOptions& options,
                                 std::size_t d_model);

/// The forward of the layer that options name; in.grad_y is not looked at.
/// Requires  (C1) those of the layer  (C2) state has the names and shapes of initial_state
/// Throws    ContractError
NormStep norm_forward(const ref::model::NormOptions& options, const NormInputs& in,
                      const NamedDeviceTensors& state);

/// The backward to it: the gradients, and the state after the step.
/// Requires  (C3) `in` as norm_forward took it, with grad_y  (C4) `forward` as it returned it
/// Throws    ContractError
NormStep norm_backward(const ref::model::NormOptions& options, const NormInputs& in,
                       const NormStep& forward);

}  // namespace normproof::gpu::norm
