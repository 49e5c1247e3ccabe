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
  /// [B T], a class or kIgnored for each row of per-position logits. If empty, a position has the
  /// label of its sentence, and padding is ignored if mask_padding is set.
  std::vector<int> targets = {};
};

template <class T>
struct StepResult {
  T loss{};  ///< of the forward, before the parameters change; the mean over accumulated batches
  std::vector<int> predictions;     ///< one class per sentence, batch by batch
  GradientNorms<T> gradient_norms;  ///< before clipping
  double learning_rate = 0;
};

/// A loss and its gradient with respect to the parameters of a state, which does not change.
template <class T>
struct LossGradient {
  T loss{};                      ///< the mean over accumulated batches
  std::vector<int> predictions;  ///< one class per sentence, batch by batch
  Gradients<T> gradients;        ///< not clipped
  NamedTensors<T> norms;         ///< what the norms carry afterwards
};

/// Returns the gradient for a step.
/// Source    docs/specification/training.md
/// Computes  for each batch the gradient of the weighted cross-entropy; then their mean (the sum in
///           the order of the batches, then one division). Dropout depends only on (seed, step), or
///           with accumulation on (seed, step accumulation + index of the batch). With the pooling
///           per_position, every position has its own target, or the label of its sentence. In its
///           warm-up PowerNorm counts optimizer steps, and the released one counts forwards.
///           Inference: no dropout, running statistics, and a backward that treats them as
///           constants
/// Requires  those of Encoder and of cross_entropy; (C1) there are 1 to `accumulation` batches
///           (C2) labels is [B], and 0 <= label < num_classes for each
///           (C3) targets is empty, or [B T] with the pooling per_position
/// Throws    ContractError
template <numeric::Real T>
LossGradient<T> loss_gradient(const model::TrainConfig& config,
                              std::span<const LabelledBatch> batches,
                              const Tensor<T>& class_weights, TrainState<T>& state,
                              const encoder::Tap<T>& tap = {},
                              model::Mode mode = model::Mode::training);

/// Runs one step of training: forward, backward, clipping, optimizer.
/// Source    docs/specification/training.md
/// Computes  loss_gradient; the clipped gradient; the optimizer's step with the learning rate of
///           step state.step + 1
/// Requires  those of loss_gradient and of the optimizer
/// Throws    ContractError, and leaves `state` unchanged
template <numeric::Real T>
StepResult<T> train_step(const model::TrainConfig& config, std::span<const LabelledBatch> batches,
                         const Tensor<T>& class_weights, TrainState<T>& state,
                         const encoder::Tap<T>& tap = {}, model::Mode mode = model::Mode::training);

/// Applies a gradient to the state: clipping, then the optimizer's step.
/// Requires  those of the optimizer
/// Throws    ContractError, and leaves `state` unchanged
template <numeric::Real T>
StepResult<T> apply_gradient(const model::TrainConfig& config, LossGradient<T> found,
                             TrainState<T>& state, const encoder::Tap<T>& tap = {});

template <class T>
struct Evaluation {
  T loss{};
  std::vector<int> predictions;
};

/// Evaluates in inference, with running statistics and without dropout. A sentence's logits do not
/// depend on its batch.
/// Computes  the mean of the batches' losses, weighted by the weights of their targets (by their
///           number without class_weights); and the predictions, batch by batch
/// Requires  as train_step. The parameters are returned unchanged
template <numeric::Real T>
Evaluation<T> evaluate(const model::TrainConfig& config, std::span<const LabelledBatch> batches,
                       const Tensor<T>& class_weights, TrainState<T>& state);

}  // namespace normproof::ref::train
