#pragma once

#include <cstdint>

#include "ref/model/train_options.hpp"
#include "ref/train/gradients.hpp"

namespace normproof::ref::train {

using tensor::NamedTensors;

/// What an optimizer carries from step to step.
template <class T>
struct OptimizerState {
  /// SGD with momentum: "velocity/<name>" for each parameter. Adam and AdamW: "beta1_power" and
  /// "beta2_power" [1], then "first_moment/<name>" and "second_moment/<name>" for each.
  NamedTensors<T> moments;
  std::int64_t step = 0;  ///< steps done
};

/// The state before the first step: moments 0, powers 1.
/// Requires  (C1) of optimizer_step
/// Throws    ContractError
template <numeric::Real T>
OptimizerState<T> initial_optimizer_state(const model::OptimizerOptions& options,
                                          const NamedTensors<T>& parameters);

/// One step, in place, element by element. p is the parameter, g its gradient, lr the learning
/// rate. A row gradient is the tensor that is +0 in the other rows, with the same bits; where these
/// rows do not move (SGD without momentum) they are not visited.
///
/// Source    PyTorch's SGD without dampening, Adam, AdamW; [KB15], [LH19];
///           docs/specification/training.md
/// Computes  SGD        p = p - lr g
///           momentum   v = momentum v + g ; p = p - lr v
///           Adam, at step t = 1, 2, ...:
///                      beta1_power = beta1_power beta1 ; beta2_power = beta2_power beta2 ;
///                      step_size = lr / (1 - beta1_power) ; root = sqrt(1 - beta2_power) ;
///                      m = (beta1 m) + ((1-beta1) g) ; v = (beta2 v) + (((1-beta2) g) g) ;
///                      p = p - (step_size m) / (sqrt(v) / root + eps)
///           AdamW      p = p (1 - lr weight_decay), then as Adam
/// Shapes    of a parameter: any; its moments and its dense gradient alike; a row gradient belongs
///           to a parameter [V,D] and has values [R,D]
/// Requires  (C1) momentum >= 0; 0 <= beta1, beta2 < 1; eps > 0; weight_decay >= 0; all finite
///           (C2) learning_rate finite and >= 0  (C3) each parameter has one gradient, and each
///           gradient a parameter  (C4) shapes as above; rows ascending, each once, all below V
///           (C5) gradients finite; for Adam and AdamW their squares too  (C6) state has the names
///           and shapes of initial_optimizer_state for these parameters
/// Order     docs/specification/determinism.md, R4 as written
/// Error     docs/derivations/error_analysis.md, section 1: the scalar running_error
/// Throws    ContractError, before anything is changed. A result that overflows is refused by the
///           next operation that reads it
template <numeric::Real T>
void optimizer_step(const model::OptimizerOptions& options, double learning_rate,
                    NamedTensors<T>& parameters, const Gradients<T>& gradients,
                    OptimizerState<T>& state);

}  // namespace normproof::ref::train
