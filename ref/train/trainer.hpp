#pragma once

#include <span>

#include "ref/encoder/encoder.hpp"
#include "ref/train/gradient_norm.hpp"
#include "ref/train/prediction.hpp"
#include "ref/train/train_state.hpp"

namespace normproof::ref::train {

using tensor::Mask;
using tensor::Tensor;

/// Sentences and their classes.
struct LabelledBatch {
  encoder::EncoderInputs inputs;
  std::vector<int> labels;  ///< [B]
  /// [B T], of each row of the logits per position, a class or kIgnored; empty: the label of its
  /// sentence, of padding none where mask_padding is set.
  std::vector<int> targets = {};
};

template <class T>
struct StepResult {
  T loss{};  ///< of the forward, before the parameters move; the mean over accumulated batches
  std::vector<int> predictions;     ///< a class a sentence, batch after batch
  GradientNorms<T> gradient_norms;  ///< before clipping
  double learning_rate = 0;
};

/// A loss and its gradient by the parameters of a state, which stays as it is.
template <class T>
struct LossGradient {
  T loss{};                      ///< the mean over accumulated batches
  std::vector<int> predictions;  ///< a class a sentence, batch after batch
  Gradients<T> gradients;        ///< not clipped
  NamedTensors<T> norms;         ///< what the norms carry afterwards
};

/// The gradient that a step takes.
/// Source    docs/specification/training.md
/// Computes  for each batch the gradient of the weighted cross-entropy; their mean (the sum in the
///           order of the batches, then one division). Dropout is a function of (seed, step),
///           with accumulation of (seed, step accumulation + number of the batch). Every position
///           takes its target, or the label of its sentence, where the pooling is per_position.
///           PowerNorm counts optimizer steps in its warm-up, the released one forwards. In
///           inference: no dropout, running statistics, and a backward through them as constants
/// Requires  (C1) 1 to accumulation batches  (C2) labels [B], 0 <= label < num_classes; those
///           of Encoder and of cross_entropy  (C3) targets are empty, or [B T] and the pooling is
///           per_position
/// Throws    ContractError
template <numeric::Real T>
LossGradient<T> loss_gradient(const model::TrainConfig& config,
                              std::span<const LabelledBatch> batches,
                              const Tensor<T>& class_weights, TrainState<T>& state,
                              const encoder::Tap<T>& tap = {},
                              model::Mode mode = model::Mode::training);

/// One step of training: forward, backward, clipping, optimizer.
/// Source    docs/specification/training.md
/// Computes  loss_gradient; the clipped gradient; the optimizer's step with the learning rate of
///           step state.step + 1
/// Requires  those of loss_gradient and of the optimizer
/// Throws    ContractError; then `state` is as before
template <numeric::Real T>
StepResult<T> train_step(const model::TrainConfig& config, std::span<const LabelledBatch> batches,
                         const Tensor<T>& class_weights, TrainState<T>& state,
                         const encoder::Tap<T>& tap = {}, model::Mode mode = model::Mode::training);

/// What a step does with the gradient that was found: clipping, and the optimizer's step.
/// Requires  those of the optimizer
/// Throws    ContractError; then `state` is as before
template <numeric::Real T>
StepResult<T> apply_gradient(const model::TrainConfig& config, LossGradient<T> found,
                             TrainState<T>& state, const encoder::Tap<T>& tap = {});

template <class T>
struct Evaluation {
  T loss{};
  std::vector<int> predictions;
};

/// Inference: running statistics, no dropout. A sentence's logits do not depend on its batch.
/// Computes  the mean of the batches' losses, each weighted by the weights of its targets (their
///           number without class_weights); the predictions, batch after batch
/// Requires  as train_step; the parameters are given back as they were
template <numeric::Real T>
Evaluation<T> evaluate(const model::TrainConfig& config, std::span<const LabelledBatch> batches,
                       const Tensor<T>& class_weights, TrainState<T>& state);

}  // namespace normproof::ref::train
