#pragma once

#include <functional>
#include <span>
#include <vector>

#include "ref/train/trainer.hpp"

namespace normproof::verification::studies::published {

/// The loss of a batch as a function of the parameters, near those of a step.
struct ProbedBatch {
  const ref::model::TrainConfig& config;
  std::span<const ref::train::LabelledBatch> batches;
  ref::model::Mode mode = ref::model::Mode::training;
};

/// The changes that a probe measures.
template <class T>
struct Probe {
  double alpha = 0;
  T loss_change{};      ///< |L - L'|
  T gradient_change{};  ///< |grad L - grad L'|_2
};
template <class T>
using Probes = std::vector<Probe<T>>;

/// A function that returns the loss and its gradient at a state.
template <class T>
using LossAt = std::function<ref::train::LossGradient<T>(ref::train::TrainState<T>& at)>;

/// Measures how the loss and its gradient change along the gradient at the parameters W. The maxima
/// over the probes are the Lipschitz constant and the smoothness shown in figures 4 to 6.
///
/// Source    docs/specification/study.md
/// Computes  g = grad L(W); for alpha_k = k (rate / 10), k = 1, ..., 9: |L(W) - L(W - alpha_k g)|
///           and |g - grad L(W - alpha_k g)|_2 over the whole parameter vector, on the same batch
///           with the same dropout masks and the norms in their state before the step.
///           consecutive (the published loop): W_0 = W, g_0 = g; for each k: V = W_{k-1} - alpha_k
///           g_{k-1}, L_k = L(V), g_k = grad L(V), W_k = V + alpha_k g; |L_{k-1} - L_k|, and the
///           maximum of |g_{k-1} - g_k|_2 over the parameter tensors. Probe k has its own dropout,
///           that of step + k 2^32. The step itself starts from W, not from W_9
/// Requires  those of loss_gradient at every probe
/// Throws    ContractError; `state` is then unchanged
template <class T>
Probes<T> probe_loss(const LossAt<T>& loss_at, double learning_rate,
                     ref::train::TrainState<T>& state, bool consecutive);

/// Calls probe_loss for a batch, with the loss and gradient of ref.
template <class T>
Probes<T> probe_loss(const ProbedBatch& batch, const ref::tensor::Tensor<T>& class_weights,
                     ref::train::TrainState<T>& state, bool consecutive);

/// Moves the parameters against a gradient.
///
/// Computes  p = p - alpha g for every element of every parameter that has a gradient
template <class T>
void move_along(ref::tensor::NamedTensors<T>& parameters, const ref::train::Gradients<T>& gradients,
                double alpha);

/// Subtracts gradients.
///
/// Computes  a - b, tensor by tensor
/// Requires  (C1) the same tensors and rows
/// Throws    ContractError
template <class T>
ref::train::Gradients<T> difference(const ref::train::Gradients<T>& a,
                                    const ref::train::Gradients<T>& b);

}  // namespace normproof::verification::studies::published
