#pragma once

#include <span>

#include "gpu/encoder/encoder.hpp"
#include "gpu/train/gradient_norm.hpp"
#include "gpu/train/optimizer.hpp"
#include "ref/model/train_config.hpp"

namespace normproof::gpu::train {

/// All that a run carries from step to step, under the names of ref/train/train_state.hpp.
struct TrainState {
  NamedDeviceTensors parameters;
  NamedDeviceTensors norms;
  OptimizerState optimizer;
  std::int64_t step = 0;  ///< steps done
};

/// Where it is.
inline Device& device_of(const TrainState& state) {
  return state.parameters.begin()->second.device();
}

/// Sentences and their classes.
struct LabelledBatch {
  encoder::EncoderInputs inputs;
  std::vector<int> labels;  ///< [B]
  /// [B T], of each row of the logits per position, a class or kIgnored; empty: the label of its
  /// sentence, of padding none where mask_padding is set.
  std::vector<int> targets = {};
};

struct StepResult {
  double loss = 0;  ///< of the forward, before the parameters move; the mean over the batches
  std::vector<int> predictions;  ///< a class a sentence, batch after batch
  GradientNorms gradient_norms;  ///< before clipping
  double learning_rate = 0;
  std::vector<NamedDeviceTensors> statistics = {};  ///< of LossGradient
};

/// A loss and its gradient by the parameters of a state, which stays as it is.
struct LossGradient {
  double loss = 0;
  std::vector<int> predictions;
  Gradients gradients;                   ///< not clipped
  DeviceTensor<double> sums_of_squares;  ///< of them, as gradient_norm.hpp has it
  NamedDeviceTensors norms;              ///< what the norms carry afterwards
  /// Of a step of a language model or a translator: EncoderRun::statistics of each batch.
  std::vector<NamedDeviceTensors> statistics = {};
};

struct Evaluation {
  double loss = 0;
  std::vector<int> predictions;
};

/// What each row of the logits should be: the label of its sentence; per position, of padding none.
std::vector<int> targets_of(const ref::model::TrainConfig& config, const LabelledBatch& batch);

/// The rate of step 1, 2, ...: ref/train/learning_rate.hpp, on the host.
double learning_rate(const ref::model::ScheduleOptions& schedule, double base_rate,
                     std::int64_t step);

// What follows has the bits of ref/train/trainer.hpp with ordered_products, and its requirements.
// The device is given recordings (device/recording.hpp), of which host code sees losses, logits and
// gradient norms; products that show values are not recorded.

/// The mean loss of the batches and its gradient.
/// Requires  (C1) 1 to accumulation batches  (C2) labels [B], 0 <= label < num_classes  (C3)
///           targets are empty, or [B T] and the pooling is per_position
/// Throws    ContractError
LossGradient loss_gradient(const ref::model::TrainConfig& config,
                           std::span<const LabelledBatch> batches,
                           const DeviceTensor<double>& class_weights, const TrainState& state,
                           const nn::Products& products = ops::ordered_products(),
                           ref::model::Mode mode = ref::model::Mode::training);

/// One step of training: loss_gradient, clipping, optimizer.
/// Throws    ContractError; then `state` is as before
StepResult train_step(const ref::model::TrainConfig& config, std::span<const LabelledBatch> batches,
                      const DeviceTensor<double>& class_weights, TrainState& state,
                      const nn::Products& products = ops::ordered_products(),
                      ref::model::Mode mode = ref::model::Mode::training);

/// What a step does with the gradient that was found: clipping, and the optimizer's step.
/// Throws    ContractError; then `state` is as before
StepResult take_gradient(const ref::model::TrainConfig& config, LossGradient found,
                         TrainState& state);

/// The class of the largest logit of each sentence, the first of equal ones; per_position by the
/// sum over real positions, ascending.
std::vector<int> predict(const device::Tensor<double>& logits, const device::Mask& valid);

/// Inference: running statistics, no dropout. The mean of the batches' losses, each weighted by the
/// weights of its targets, and the predictions, batch after batch.
/// Requires  (C1) at least one batch, (C2), (C3)
/// Throws    ContractError
Evaluation evaluate(const ref::model::TrainConfig& config, std::span<const LabelledBatch> batches,
                    const DeviceTensor<double>& class_weights, const TrainState& state,
                    const nn::Products& products = ops::ordered_products());

}  // namespace normproof::gpu::train
