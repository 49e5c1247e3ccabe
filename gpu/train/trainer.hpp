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
  GradientNorms gradient_norms;  ///< before clipping
  double learning_rate = 0;
};

/// What each row of the logits should be: the label of its sentence; per position, of padding none.
std::vector<int> targets_of(const ref::model::TrainConfig& config, const LabelledBatch& batch);

/// The rate of step 1, 2, ...: ref/train/learning_rate.hpp, on the host.
double learning_rate(const ref::model::ScheduleOptions& schedule, double base_rate,
                     std::int64_t step);

/// One step of training: forward, weighted cross-entropy and backward of each batch, the mean of
/// their gradients, clipping, optimizer. The bits of ref/train/trainer.hpp with ordered_products.
/// The device is given two recordings (device/recording.hpp): all up to the gradients, and what
/// moves the parameters; host code sees losses and gradient norms in between. Products that show
/// values are not recorded.
/// Requires  (C1) 1 to accumulation batches  (C2) labels [B], 0 <= label < num_classes  (C3)
///           targets are empty, or [B T] and the pooling is per_position
/// Throws    ContractError; then `state` is as before
StepResult train_step(const ref::model::TrainConfig& config, std::span<const LabelledBatch> batches,
                      const DeviceTensor<double>& class_weights, TrainState& state,
                      const nn::Products& products = ops::ordered_products());

}  // namespace normproof::gpu::train
