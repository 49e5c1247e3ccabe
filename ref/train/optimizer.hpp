#pragma once

#include <cstdint>

#include "ref/model/train_options.hpp"
#include "ref/train/gradients.hpp"

namespace normproof::ref::train {

using tensor::NamedTensors;

/// The state that an optimizer keeps from one step to the next.
template <class T>
struct OptimizerState {
  /// The running averages of the optimizer. For SGD with momentum, they are "velocity/<name>" for
  /// each parameter. For Adam and AdamW, they are "first_moment/<name>" and "second_moment/<name>"
  /// for each parameter. For Adam and AdamW, the list begins with the powers "beta1_power" and
  /// "beta2_power", each of shape [1].
  NamedTensors<T> moments;
  std::int64_t step = 0;  ///< the number of completed steps
};

/// Returns the state before the first step: all moments are 0, and beta1_power and beta2_power are
/// 1.
/// Requires  (C1) of optimizer_step
/// Throws    ContractError
template <numeric::Real T>
OptimizerState<T> initial_optimizer_state(const model::OptimizerOptions& options,
                                          const NamedTensors<T>& parameters);

/// Runs one step of the optimizer in place, element by element. In the formulas, p is a parameter,
/// g its gradient, and lr the learning rate. A row gradient gives the same bits as a dense gradient
/// whose other rows are +0. If the step would not change those rows (SGD without momentum), they
/// are skipped.
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
/// Shapes    a parameter may have any shape, and its moments and dense gradient have the same
///           shape. A row gradient belongs to a parameter [V,D] and has values [R,D]
/// Requires  (C1) momentum and weight_decay are >= 0, beta1 and beta2 are at least 0 and below 1,
///           and eps > 0; all are finite  (C2) learning_rate is finite and >= 0
///           (C3) each parameter has one gradient, and each gradient a parameter
///           (C4) shapes are as above; rows are ascending, each once, all below V
///           (C5) gradients are finite; for Adam and AdamW so are their squares
///           (C6) state has the names and shapes of initial_optimizer_state for these parameters
/// Order     docs/specification/determinism.md, rule R4, in the order written
/// Error     docs/error_analysis.md, section 1: the bound that the scalar type running_error
///           computes
/// Throws    ContractError, before anything is changed. A result that overflows is rejected by the
///           next operation that reads it
template <numeric::Real T>
void optimizer_step(const model::OptimizerOptions& options, double learning_rate,
                    NamedTensors<T>& parameters, const Gradients<T>& gradients,
                    OptimizerState<T>& state);

}  // namespace normproof::ref::train
