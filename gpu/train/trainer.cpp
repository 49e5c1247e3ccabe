#include "gpu/train/trainer.hpp"

#include <fmt/format.h>

#include <cmath>

#include "gpu/train/cross_entropy.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::gpu::train {
namespace {

namespace model = ref::model;
using ref::numeric::contract_failure;

void check_batch(const model::TrainConfig& config, const LabelledBatch& batch) {
  if (config.accumulation != 1)
    contract_failure("train_step", "accumulation", fmt::format("is {}", config.accumulation),
                     "1 (C1)");
  const std::size_t count = batch.inputs.tokens.batch_size;
  if (batch.labels.size() != count)
    contract_failure("train_step", "labels",
                     fmt::format("has {} for {} sentences", batch.labels.size(), count),
                     "one a sentence (C2)");
  for (std::size_t b = 0; b < count; ++b)
    if (batch.labels[b] < 0 ||
        static_cast<std::size_t>(batch.labels[b]) >= config.encoder.num_classes)
      contract_failure("train_step", "labels",
                       fmt::format("has the class {} at {}", batch.labels[b], b),
                       fmt::format("0 to {} (C2)", config.encoder.num_classes - 1));
}

}  // namespace

std::vector<int> targets_of(const model::TrainConfig& config, const LabelledBatch& batch) {
  if (config.encoder.pooling == model::Pooling::masked_mean) return batch.labels;
  const std::size_t rows = batch.inputs.tokens.ids.size();
  const auto valid = batch.inputs.valid.host_flags();
  const bool masked = config.encoder.mask_padding && ref::tensor::is_given(valid);
  std::vector<int> targets(rows, kIgnored);
  for (std::size_t i = 0; i < rows; ++i)
    if (!masked || valid.data()[i]) targets[i] = batch.labels[i / batch.inputs.tokens.seq_len];
  return targets;
}

double learning_rate(const model::ScheduleOptions& schedule, double base_rate, std::int64_t step) {
  const auto t = static_cast<double>(step);
  if (const auto* linear = std::get_if<model::LinearWarmup>(&schedule)) {
    const auto w = static_cast<double>(linear->warmup_steps);
    return base_rate * (t < w ? t / w : 1);
  }
  if (const auto* root = std::get_if<model::InverseSquareRoot>(&schedule)) {
    const auto w = static_cast<double>(root->warmup_steps);
    return base_rate * (t < w ? t / w : std::sqrt(w / t));
  }
  return base_rate;
}

StepResult train_step(const model::TrainConfig& config, const LabelledBatch& batch,
                      const DeviceTensor<double>& class_weights, TrainState& state, nn::Gemm gemm) {
  check_batch(config, batch);
  NamedDeviceTensors norms = state.norms;
  encoder::Encoder encoder(config.encoder, state.parameters);
  const encoder::EncoderRun run{model::Mode::training, config.seed,
                                static_cast<std::uint64_t>(state.step), gemm};
  const DeviceTensor<double> logits = encoder.forward(batch.inputs, run, norms);
  const std::size_t classes = logits.shape().back();
  const std::vector<int> targets = targets_of(config, batch);
  const CrossEntropyForward loss = cross_entropy(
      logits.reshaped({logits.size() / classes, classes}), targets, class_weights, config.loss);
  const DeviceTensor<double> grad_logits =
      cross_entropy_backward(loss.log_probabilities, targets, class_weights, config.loss)
          .reshaped(logits.shape());
  encoder::EncoderGradients found = encoder.backward(grad_logits, norms);
  Gradients gradients{std::move(found.dense), {}};
  gradients.rows.emplace_back("embedding.weight", std::move(found.embedding));

  StepResult result;
  result.loss = loss.loss;
  result.gradient_norms = clip_gradients(gradients, config.max_gradient_norm);
  result.learning_rate = learning_rate(config.schedule, config.learning_rate, state.step + 1);
  optimizer_step(config.optimizer, result.learning_rate, state.parameters, gradients,
                 state.optimizer);
  state.norms = std::move(norms);
  ++state.step;
  return result;
}

}  // namespace normproof::gpu::train
