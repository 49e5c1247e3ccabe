#pragma once

#include <span>

#include "ref/encoder/encoder.hpp"
#include "ref/train/gradient_norm.hpp"
#include "ref/train/prediction.hpp"
#include "ref/train/train_state.hpp"

namespace normproof::ref::train {

using tensor::Mask;
using tensor::Tensor;

/// A batch of sentences, and the class of each sentence.
struct LabelledBatch {
  encoder::EncoderInputs inputs;
  std::vector<int> labels;  ///< [B]
  /// The target of each position, [B T]: a class or kIgnored. The targets are used only if the
  /// logits are per position. If this vector is empty, the target of a position is the label of its
  /// sentence, and padding is ignored if mask_padding is set.
  std::vector<int> targets = {};
};

template <class T>
struct StepResult {
  T loss{};                         ///< mean over the step's batches, before the parameters change
  std::vector<int> predictions;     ///< one class per sentence, batch by batch
  GradientNorms<T> gradient_norms;  ///< the norms before clipping
  double learning_rate = 0;
};

/// The result of loss_gradient: the loss of a step, and its gradient with respect to the
/// parameters. The parameters are not changed.
template <class T>
struct LossGradient {
  T loss{};                      ///< mean over the step's batches
  std::vector<int> predictions;  ///< one class per sentence, batch by batch
  Gradients<T> gradients;        ///< before clipping
  NamedTensors<T> norms;         ///< running statistics after the batches
};

/// Returns the gradient for one step of training.
/// Source    docs/specification/training.md
/// Computes  the gradient of the weighted cross-entropy of each batch. The result is the mean over
///           the batches: the gradients are added in the order of the batches and divided once.
///           Without accumulation, the dropout of a batch depends only on the seed and the number
///           of the step. With accumulation, it depends only on the seed and on `step *
///           accumulation + index of the batch`. With the pooling per_position, every position has
///           its own target, or the label of its sentence. The warm-up of PowerNorm counts
///           optimizer steps; the warm-up of the released PowerNorm counts forwards. In inference
///           mode there is no dropout, and the norms use running statistics, which the backward
///           treats as constants
/// Requires  the requirements of Encoder and of cross_entropy; (C1) there are 1 to `accumulation`
///           batches
///           (C2) labels is [B], and 0 <= label < num_classes for each
///           (C3) targets is empty, or [B T] with the pooling per_position
/// Throws    ContractError
template <numeric::Real T>
LossGradient<T> loss_gradient(const model::TrainConfig& config,
                              std::span<const LabelledBatch> batches,
                              const Tensor<T>& class_weights, TrainState<T>& state,
                              const encoder::TensorTap<T>& tap = {},
                              model::Mode mode = model::Mode::training);

/// Runs one step of training: forward, backward, clipping and optimizer.
/// Source    docs/specification/training.md
/// Computes  the gradient by loss_gradient, clips it, and runs the optimizer with the learning rate
///           of step state.step + 1
/// Requires  the requirements of loss_gradient and of the optimizer
/// Throws    ContractError, and leaves `state` unchanged
template <numeric::Real T>
StepResult<T> train_step(const model::TrainConfig& config, std::span<const LabelledBatch> batches,
                         const Tensor<T>& class_weights, TrainState<T>& state,
                         const encoder::TensorTap<T>& tap = {},
                         model::Mode mode = model::Mode::training);

/// Clips a gradient and runs the optimizer's step with it, which updates `state`.
/// Requires  the requirements of the optimizer
/// Throws    ContractError, and leaves `state` unchanged
template <numeric::Real T>
StepResult<T> apply_gradient(const model::TrainConfig& config, LossGradient<T> found,
                             TrainState<T>& state, const encoder::TensorTap<T>& tap = {});

template <class T>
struct Evaluation {
  T loss{};
  std::vector<int> predictions;
};

/// Evaluates the model in inference, with running statistics and without dropout. The logits of a
/// sentence do not depend on the other sentences of its batch. The parameters in `state` are the
/// same before and after the call.
/// Computes  the mean of the losses of the batches, and the predictions, batch by batch. The weight
///           of a batch in the mean is the sum of the class weights of its targets. Without
///           class_weights it is the number of its targets
/// Requires  the requirements of train_step
template <numeric::Real T>
Evaluation<T> evaluate(const model::TrainConfig& config, std::span<const LabelledBatch> batches,
                       const Tensor<T>& class_weights, TrainState<T>& state);

}  // namespace normproof::ref::train
