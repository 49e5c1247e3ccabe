#pragma once

#include "ref/model/norm_layers.hpp"
#include "ref/norm/affine.hpp"
#include "ref/tensor/named_tensors.hpp"

namespace normproof::ref::norm {

/// One step of any layer: what goes in.
template <class T>
struct NormInputs {
  Tensor<T> x;            ///< [N,D] or [B,T,D]
  Tensor<T> gamma = {};   ///< as model::norm_layer has it, or empty: ones
  Tensor<T> beta = {};    ///< as model::norm_layer has it, or empty: zeros
  Tensor<T> grad_y = {};  ///< the shape of x, or empty: forward alone
  Mask valid = {};        ///< [N] or [B,T], true = a real token, or empty: all
  model::Mode mode = model::Mode::training;
  tensor::NamedTensors<T> others = {};  ///< parameters beside gamma and beta, by name
};

/// The trained parameters of a layer, or the gradients by them, under the names and in the order of
/// model::norm_layer. One that is left out has its initial value.
template <class T>
using NormParameters = tensor::NamedTensors<T>;

/// The parameter of that name; null where it is left out.
template <class T>
const Tensor<T>* find_parameter(const NormInputs<T>& inputs, std::string_view name) {
  const Tensor<T>* const found = name == "gamma"  ? &inputs.gamma
                                 : name == "beta" ? &inputs.beta
                                                  : inputs.others.find(name);
  return found != nullptr && tensor::is_given(*found) ? found : nullptr;
}

template <class T>
void set_parameter(NormInputs<T>& inputs, std::string_view name, Tensor<T> values) {
  if (name == "gamma")
    inputs.gamma = std::move(values);
  else if (name == "beta")
    inputs.beta = std::move(values);
  else
    inputs.others.set(name, std::move(values));
}

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
/// Requires  (C1) those of the layer, and no parameter that it does not have  (C2) state has the
///           names and shapes of initial_state
/// Throws    ContractError
template <numeric::Real T>
NormStep<T> norm_forward(const model::NormOptions& options, const NormInputs<T>& inputs,
                         const tensor::NamedTensors<T>& state);

/// The backward to it: the gradients, and the state after the step.
/// Requires  (C3) inputs as norm_forward took them, with grad_y  (C4) `forward` as it returned it;
///           y is not looked at
/// Throws    ContractError
template <numeric::Real T>
NormStep<T> norm_backward(const model::NormOptions& options, const NormInputs<T>& inputs,
                          const NormStep<T>& forward);

/// Runs forward, and backward where inputs.grad_y is given, of the layer that options name.
/// Requires  (C1) those of the layer  (C2) state has the names and shapes of initial_state
/// Throws    ContractError
template <numeric::Real T>
NormStep<T> norm_step(const model::NormOptions& options, const NormInputs<T>& inputs,
                      const tensor::NamedTensors<T>& state);

}  // namespace normproof::ref::norm
