#pragma once

#include "ref/model/norm_inputs.hpp"
#include "ref/model/norm_layers.hpp"
#include "ref/norm/affine.hpp"
#include "ref/tensor/named_tensors.hpp"

namespace normproof::ref::norm {

using model::find_parameter;
using model::NormInputs;
using model::NormParameters;
using model::set_parameter;

/// One step of any layer: what comes out. `outputs` holds y, the statistics of model::norm_layer,
/// and after a backward grad_x and grad_<name> of each parameter that the layer has. `state` holds
/// the running quantities after the step.
template <class T>
struct NormStep {
  tensor::NamedTensors<T> outputs;
  tensor::NamedTensors<T> state;
};

/// The state before the first step, as model::norm_layer has it: empty for layers without one.
template <numeric::Real T>
tensor::NamedTensors<T> initial_state(const model::NormOptions& options, std::size_t d_model);

/// The forward of the layer that options name; inputs.grad_y is not looked at.
/// Requires  those of the layer's forward; (C3) no parameter that the layer does not have
///           (C10) state has the names and shapes of initial_state; iterations is a whole number
///           (C13) the layout is rows
/// Throws    ContractError
template <numeric::Real T>
NormStep<T> norm_forward(const model::NormOptions& options, const NormInputs<T>& inputs,
                         const tensor::NamedTensors<T>& state);

/// The backward to it: the gradients, and the state after the step.
/// Requires  those of the layer's backward; inputs as norm_forward took them, with grad_y, and
///           `forward` as it returned it, of which y is not looked at
/// Throws    ContractError
template <numeric::Real T>
NormStep<T> norm_backward(const model::NormOptions& options, const NormInputs<T>& inputs,
                          const NormStep<T>& forward);

/// Runs forward, and backward where inputs.grad_y is given, of the layer that options name.
/// Requires  those of the layer's forward; (C3) no parameter that the layer does not have
///           (C10) state has the names and shapes of initial_state; iterations is a whole number
///           (C13) the layout is rows
/// Throws    ContractError
template <numeric::Real T>
NormStep<T> norm_step(const model::NormOptions& options, const NormInputs<T>& inputs,
                      const tensor::NamedTensors<T>& state);

}  // namespace normproof::ref::norm
