#pragma once

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
};

struct StepResult {
  double loss = 0;               ///< of the forward, before the parameters move
  GradientNorms gradient_norms;  ///< before clipping
  double learning_rate = 0;
};

/// What each row of the logits should be: the label of its sentence; per position, of padding none.
std::vector<int> targets_of(const ref::model::TrainConfig& config, const LabelledBatch& batch);

/// The rate of step 1, 2, ...: ref/train/learning_rate.hpp, on the host.
double learning_rate(const ref::model::ScheduleOptions& schedule, double base_rate,
                     std::int64_t step);

/// One step of training: forward, weighted cross-entropy, backward, clipping, optimizer. The bits
/// of ref/train/trainer.hpp with Gemm::ordered. Requires  (C1) config.accumulation is 1  (C2)
/// labels [B], 0 <= label < num_classes Throws    ContractError
StepResult train_step(const ref::model::TrainConfig& config, const LabelledBatch& batch,
                      const DeviceTensor<double>& class_weights, TrainState& state,
                      nn::Gemm gemm = nn::Gemm::ordered);

}  // namespace normproof::gpu::train
