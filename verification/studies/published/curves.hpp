#pragma once

#include <functional>
#include <span>
#include <vector>

#include "ref/train/trainer.hpp"

namespace normproof::verification::studies::published {

/// A batch whose loss is measured at several parameter values near the current ones.
struct ProbedBatch {
  const ref::model::TrainConfig& config;
  std::span<const ref::train::LabelledBatch> batches;
  ref::model::Mode mode = ref::model::Mode::training;
};

/// The changes that one probe measures, between the loss L at the parameters W and the loss L' at a
/// neighboring point.
template <class T>
struct Probe {
  double alpha = 0;
  T loss_change{};      ///< `|L - L'|`
  T gradient_change{};  ///< `|grad L - grad L'|_2`
};
template <class T>
using Probes = std::vector<Probe<T>>;

/// A function that returns the loss and its gradient at a training state. The argument `at` is this
/// state.
template <class T>
using LossAt = std::function<ref::train::LossGradient<T>(ref::train::TrainState<T>& at)>;

/// Measures how the loss L and its gradient change if the parameters W move along the gradient. The
/// maxima over the nine probes are the Lipschitz constant and the smoothness in figures 4 to 6.
///
/// Source    docs/specification/study.md
/// Computes  if `consecutive` is false: with `g = grad L(W)` and `alpha_k = k (learning_rate /
///           10)`, probe k = 1, ..., 9 measures `|L(W) - L(W - alpha_k g)|` and `|g - grad L(W -
///           alpha_k g)|_2` over the whole parameter vector. All probes use the same batch, the
///           same dropout masks, and the state of the norms before the step.
///           If `consecutive` is true, the probes are the probes of the published loop. The loop
///           starts with `W_0 = W` and `g_0 = g`. Probe k computes `V = W_{k-1} - alpha_k g_{k-1}`,
///           `L_k = L(V)`, `g_k = grad L(V)` and `W_k = V + alpha_k g`. It measures `|L_{k-1} -
///           L_k|` and the maximum of `|g_{k-1} - g_k|_2` over the parameter tensors. Probe k uses
///           the dropout masks of the step number `step + k 2^32`.
///           In either case the training step itself starts from W
/// Requires  the requirements of loss_gradient at every probe
/// Throws    ContractError; `state` is then unchanged
template <class T>
Probes<T> probe_loss(const LossAt<T>& loss_at, double learning_rate,
                     ref::train::TrainState<T>& state, bool consecutive);

/// Measures the probes of probe_loss() for a batch, with the loss and gradient that ref computes.
template <class T>
Probes<T> probe_loss(const ProbedBatch& batch, const ref::tensor::Tensor<T>& class_weights,
                     ref::train::TrainState<T>& state, bool consecutive);

/// Moves the parameters against a gradient.
///
/// Computes  `p = p - alpha g` for every parameter p that has a gradient g, element by element
template <class T>
void move_along_gradient(ref::tensor::NamedTensors<T>& parameters,
                         const ref::train::Gradients<T>& gradients, double alpha);

/// Subtracts the gradients b from the gradients a.
///
/// Computes  `a - b`, tensor by tensor
/// Requires  (C1) the same tensors and rows
/// Throws    ContractError
template <class T>
ref::train::Gradients<T> difference(const ref::train::Gradients<T>& a,
                                    const ref::train::Gradients<T>& b);

}  // namespace normproof::verification::studies::published
