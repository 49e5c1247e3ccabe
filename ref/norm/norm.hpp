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

/// The result of one step of any layer. `outputs` holds y and the statistics that model::norm_layer
/// lists. After a backward it also holds grad_x and, for each parameter of the layer, grad_<name>.
/// `state` holds the running statistics after the step.
template <class T>
struct NormStep {
  tensor::NamedTensors<T> outputs;
  tensor::NamedTensors<T> state;
};

/// Returns the state before the first step, as model::norm_layer describes it. For a layer without
/// state, the result is empty.
template <numeric::Real T>
tensor::NamedTensors<T> initial_state(const model::NormOptions& options, std::size_t d_model);

/// Runs the forward of the layer that `options` names. It does not read inputs.grad_y.
/// Requires  the requirements of the layer's forward; (C3) every given parameter is one that the
///           layer has
///           (C10) state has the names and shapes of initial_state; iterations is a whole number
///           (C13) the layout is rows
/// Throws    ContractError
template <numeric::Real T>
NormStep<T> norm_forward(const model::NormOptions& options, const NormInputs<T>& inputs,
                         const tensor::NamedTensors<T>& state);

/// Runs the backward that belongs to a call of norm_forward. Returns the gradients, and the state
/// after the step.
/// Requires  the requirements of the layer's backward; `inputs` are the inputs of norm_forward, and
///           grad_y is given; `forward` is what norm_forward returned (y in it is not read)
/// Throws    ContractError
template <numeric::Real T>
NormStep<T> norm_backward(const model::NormOptions& options, const NormInputs<T>& inputs,
                          const NormStep<T>& forward);

/// Runs the forward of the layer that `options` names. If inputs.grad_y is given, runs the backward
/// too.
/// Requires  the requirements of the layer's forward; (C3) every given parameter is one that the
///           layer has
///           (C10) state has the names and shapes of initial_state; iterations is a whole number
///           (C13) the layout is rows
/// Throws    ContractError
template <numeric::Real T>
NormStep<T> norm_step(const model::NormOptions& options, const NormInputs<T>& inputs,
                      const tensor::NamedTensors<T>& state);

}  // namespace normproof::ref::norm
