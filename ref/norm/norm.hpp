#pragma once

#include "ref/model/norm_options.hpp"
#include "ref/norm/affine.hpp"
#include "ref/tensor/named_tensors.hpp"

namespace normproof::ref::norm {

/// One step of any layer: what goes in.
template <class T>
struct NormInputs {
  Tensor<T> x;            ///< [N,D] or [B,T,D]
  Tensor<T> gamma = {};   ///< [D] ([1] for scale_norm), or empty: ones
  Tensor<T> beta = {};    ///< [D], or empty: zeros
  Tensor<T> grad_y = {};  ///< the shape of x, or empty: forward alone
  Mask valid = {};        ///< [N] or [B,T], true = a real token, or empty: all
  model::Mode mode = model::Mode::training;
};

/// One step of any layer: what comes out. `outputs` holds y, the layer's statistics under the names
/// of docs/notation.md, and after a backward grad_x and, for layers with parameters, grad_gamma and
/// grad_beta. `state` holds the running quantities after the step.
template <class T>
struct NormStep {
  tensor::NamedTensors<T> outputs;
  tensor::NamedTensors<T> state;
};

/// The state before the first step: empty for layers without one; else running_mean 0,
/// running_variance 1, running_psi2 1, nu 0 ([D] each), iterations 0 ([1]), as the layer has them.
template <numeric::Real T>
tensor::NamedTensors<T> initial_state(const model::NormOptions& options, std::size_t d_model);

/// The forward of the layer that options name; inputs.grad_y is not looked at.
/// Requires  (C1) those of the layer  (C2) state has the names and shapes of initial_state
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
