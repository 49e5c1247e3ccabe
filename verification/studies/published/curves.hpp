#pragma once

#include <functional>
#include <span>
#include <vector>

#include "ref/train/trainer.hpp"

namespace normproof::verification::studies::published {

/// The loss of a batch near the parameters W of a step.
struct ProbedBatch {
  const ref::model::TrainConfig& config;
  std::span<const ref::train::LabelledBatch> batches;
  ref::model::Mode mode = ref::model::Mode::training;
};

/// What a probe finds.
template <class T>
struct Probe {
  double alpha = 0;
  T loss_change{};      ///< |L - L'|
  T gradient_change{};  ///< |grad L - grad L'|_2
};
template <class T>
using Probes = std::vector<Probe<T>>;

/// Where the loss and its gradient come from.
template <class T>
using LossAt = std::function<ref::train::LossGradient<T>(ref::train::TrainState<T>& at)>;

/// Changes of the loss and of its gradient along the gradient at W: their maxima are the Lipschitz
/// constant and the smoothness that figures 4 to 6 show.
/// Source    docs/specification/study.md
/// Computes  g = grad L(W); for alpha_k = k (rate / 10), k = 1, ..., 9:
///           |L(W) - L(W - alpha_k g)| and |g - grad L(W - alpha_k g)|_2 over the whole parameter
///           vector, on the same batch with the same dropout masks, the norms in the state in which
///           the step finds them
///           consecutive (the published loop): W_0 = W, g_0 = g; for each k: V = W_{k-1} - alpha_k
///           g_{k-1}, L_k = L(V), g_k = grad L(V), W_k = V + alpha_k g; |L_{k-1} - L_k|, and the
///           largest |g_{k-1} - g_k|_2 of a parameter tensor; probe k has dropouts of its own,
///           those of step + k 2^32. W_9 is not what the step begins with
/// Requires  those of loss_gradient at every probe
/// Throws    ContractError; `state` stays as it is
template <class T>
Probes<T> probe_loss(const LossAt<T>& loss_at, double learning_rate,
                     ref::train::TrainState<T>& state, bool consecutive);

/// probe_loss of a batch, by ref.
template <class T>
Probes<T> probe_loss(const ProbedBatch& batch, const ref::tensor::Tensor<T>& class_weights,
                     ref::train::TrainState<T>& state, bool consecutive);

/// Computes  p = p - alpha g for every element of every parameter that has a gradient
template <class T>
void move_along(ref::tensor::NamedTensors<T>& parameters, const ref::train::Gradients<T>& gradients,
                double alpha);

/// Computes  a - b, tensor by tensor
/// Requires  (C1) the same tensors and rows
/// Throws    ContractError
template <class T>
ref::train::Gradients<T> difference(const ref::train::Gradients<T>& a,
                                    const ref::train::Gradients<T>& b);

}  // namespace normproof::verification::studies::published
