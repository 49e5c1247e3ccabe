#pragma once

#include <span>

#include "gpu/encoder/encoder.hpp"
#include "gpu/train/gradient_norm.hpp"
#include "gpu/train/optimizer.hpp"
#include "ref/model/train_config.hpp"

namespace normproof::gpu::train {

/// The state that a training run carries from step to step. The tensors have the same names as in
/// ref/train/train_state.hpp.
struct TrainState {
  NamedDeviceTensors parameters;
  NamedDeviceTensors norms;
  OptimizerState optimizer;
  std::int64_t step = 0;  ///< number of steps done
};

/// Returns the device that holds the state.
inline Device& state_device(const TrainState& state) {
  return state.parameters.begin()->second.device();
}

/// A batch of sentences and their classes.
struct LabelledBatch {
  encoder::EncoderInputs inputs;
  std::vector<int> labels;  ///< [B]
  /// The class of each position, [B T], or kIgnored for a position that the loss ignores. Targets
  /// may be given only if the pooling is per position. If it is per position and no targets are
  /// given, each position has the label of its sentence, and positions of padding are ignored if
  /// mask_padding is set.
  std::vector<int> targets = {};
};

struct StepResult {
  double loss = 0;               ///< the mean over the batches, before the parameters change
  std::vector<int> predictions;  ///< one class per sentence, batch after batch
  GradientNorms gradient_norms;  ///< before clipping
  double learning_rate = 0;
  std::vector<NamedDeviceTensors> statistics = {};  ///< as in LossGradient
};

/// A loss and its gradient with respect to the parameters. The training state is not changed.
struct LossGradient {
  double loss = 0;
  std::vector<int> predictions;
  Gradients gradients;                   ///< not clipped
  DeviceTensor<double> sums_of_squares;  ///< one per gradient, as in gradient_norm.hpp
  NamedDeviceTensors norms;              ///< the new state of the norm layers
  /// The norms' statistics of each batch (ModelRunSettings::statistics). Only steps of a language
  /// model or a translator fill it.
  std::vector<NamedDeviceTensors> statistics = {};
};

struct Evaluation {
  double loss = 0;
  std::vector<int> predictions;
};

/// Returns the class that each row of the logits should have: the label of its sentence. If the
/// pooling is per position, positions of padding have kIgnored.
std::vector<int> row_targets(const ref::model::TrainConfig& config, const LabelledBatch& batch);

/// Returns the learning rate of a step. Steps count from 1. The rate is computed on the host and is
/// the same as in ref/train/learning_rate.hpp.
double learning_rate(const ref::model::ScheduleOptions& schedule, double base_rate,
                     std::int64_t step);

// With ordered_products the functions below have the bits and the preconditions of
// ref/train/trainer.hpp. They record their work on the device (device/recording.hpp), so that the
// host sees only losses, logits and gradient norms. If the products show values to the host, work
// is not recorded.

/// Returns the mean loss of the batches and its gradient.
/// Requires  (C1) at least 1 and at most config.accumulation batches  (C2) labels [B], 0 <= label <
///           num_classes  (C3) targets are empty, or they are [B T] and the pooling is per_position
/// Throws    ContractError
LossGradient loss_gradient(const ref::model::TrainConfig& config,
                           std::span<const LabelledBatch> batches,
                           const DeviceTensor<double>& class_weights, const TrainState& state,
                           const nn::Products& products = ops::ordered_products(),
                           ref::model::Mode mode = ref::model::Mode::training);

/// Runs one training step: loss_gradient, then clipping, then the optimizer.
/// Throws    ContractError; then `state` is unchanged
StepResult train_step(const ref::model::TrainConfig& config, std::span<const LabelledBatch> batches,
                      const DeviceTensor<double>& class_weights, TrainState& state,
                      const nn::Products& products = ops::ordered_products(),
                      ref::model::Mode mode = ref::model::Mode::training);

/// Completes a training step with a computed gradient: runs clipping and the optimizer step.
/// Throws    ContractError; then `state` is unchanged
StepResult apply_gradient(const ref::model::TrainConfig& config, LossGradient found,
                          TrainState& state);

/// Returns the class with the largest logit for each sentence; if several logits are equally large,
/// the first of their classes. If the pooling is per position, the logits of the sentence's real
/// positions are added first, in ascending order.
std::vector<int> predict(const device::Tensor<double>& logits, const device::Mask& valid);

/// Evaluates a model in inference mode: running statistics, no dropout. Returns the predictions,
/// batch after batch, and the mean of the batches' losses. The weight of a batch in this mean is
/// the sum of the class weights of its targets.
/// Requires  (C1) at least one batch; (C2) and (C3) of loss_gradient
/// Throws    ContractError
Evaluation evaluate(const ref::model::TrainConfig& config, std::span<const LabelledBatch> batches,
                    const DeviceTensor<double>& class_weights, const TrainState& state,
                    const nn::Products& products = ops::ordered_products());

}  // namespace normproof::gpu::train
