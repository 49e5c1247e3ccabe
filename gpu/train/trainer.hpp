#pragma once

#include <span>

#include "gpu/encoder/encoder.hpp"
#include "gpu/train/gradient_norm.hpp"
#include "gpu/train/optimizer.hpp"
#include "ref/model/train_config.hpp"

namespace normproof::gpu::train {

/// The state that a training run carries from step to step, under the names of
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

/// Sentences and their classes.
struct LabelledBatch {
  encoder::EncoderInputs inputs;
  std::vector<int> labels;  ///< [B]
  /// [B T], the class of each row of the logits if the pooling is per position, or kIgnored. If
  /// empty, each position has the label of its sentence; padding is ignored if mask_padding is set.
  std::vector<int> targets = {};
};

struct StepResult {
  double loss = 0;  ///< of the forward, before the parameters change; the mean over the batches
  std::vector<int> predictions;  ///< one class per sentence, batch after batch
  GradientNorms gradient_norms;  ///< before clipping
  double learning_rate = 0;
  std::vector<NamedDeviceTensors> statistics = {};  ///< as in LossGradient
};

/// A loss and its gradient with respect to the parameters of a state, which does not change.
struct LossGradient {
  double loss = 0;
  std::vector<int> predictions;
  Gradients gradients;                   ///< not clipped
  DeviceTensor<double> sums_of_squares;  ///< of the gradients, as in gradient_norm.hpp
  NamedDeviceTensors norms;              ///< the state of the norms afterwards
  /// EncoderRun::statistics of each batch, for a step of a language model or a translator.
  std::vector<NamedDeviceTensors> statistics = {};
};

struct Evaluation {
  double loss = 0;
  std::vector<int> predictions;
};

/// Returns the class that each row of the logits should have: the label of its sentence, or, per
/// position, kIgnored for padding.
std::vector<int> row_targets(const ref::model::TrainConfig& config, const LabelledBatch& batch);

/// Returns the learning rate of step 1, 2, ...; the same as ref/train/learning_rate.hpp, on the
/// host.
double learning_rate(const ref::model::ScheduleOptions& schedule, double base_rate,
                     std::int64_t step);

// With ordered_products the functions below have the bits and the preconditions of
// ref/train/trainer.hpp. They record their work on the device (device/recording.hpp); the host sees
// only losses, logits and gradient norms. Work is not recorded if the products show values to the
// host.

/// Returns the mean loss of the batches and its gradient.
/// Requires  (C1) 1 to accumulation batches  (C2) labels [B], 0 <= label < num_classes  (C3)
///           targets are empty, or [B T] and the pooling is per_position
/// Throws    ContractError
LossGradient loss_gradient(const ref::model::TrainConfig& config,
                           std::span<const LabelledBatch> batches,
                           const DeviceTensor<double>& class_weights, const TrainState& state,
                           const nn::Products& products = ops::ordered_products(),
                           ref::model::Mode mode = ref::model::Mode::training);

/// Runs one training step: loss_gradient, clipping, optimizer.
/// Throws    ContractError; then `state` is unchanged
StepResult train_step(const ref::model::TrainConfig& config, std::span<const LabelledBatch> batches,
                      const DeviceTensor<double>& class_weights, TrainState& state,
                      const nn::Products& products = ops::ordered_products(),
                      ref::model::Mode mode = ref::model::Mode::training);

/// Completes a step with a computed gradient: clipping and the optimizer step.
/// Throws    ContractError; then `state` is unchanged
StepResult apply_gradient(const ref::model::TrainConfig& config, LossGradient found,
                          TrainState& state);

/// Returns the class of the largest logit of each sentence, the first one if several are equal. Per
/// position, the logits are summed over the real positions in ascending order.
std::vector<int> predict(const device::Tensor<double>& logits, const device::Mask& valid);

/// Evaluates in inference mode: running statistics, no dropout. Returns the mean of the batches'
/// losses, weighted by the weights of their targets, and the predictions, batch after batch.
/// Requires  (C1) at least one batch, (C2), (C3)
/// Throws    ContractError
Evaluation evaluate(const ref::model::TrainConfig& config, std::span<const LabelledBatch> batches,
                    const DeviceTensor<double>& class_weights, const TrainState& state,
                    const nn::Products& products = ops::ordered_products());

}  // namespace normproof::gpu::train
