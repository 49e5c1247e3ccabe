#include "gpu/train/trainer.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "gpu/train/accumulate.hpp"
#include "gpu/train/cross_entropy.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::gpu::train {
namespace {

namespace model = ref::model;
using ref::numeric::contract_failure;

void check_batch(const model::TrainConfig& config, const LabelledBatch& batch) {
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
  if (batch.targets.empty()) return;
  if (config.encoder.pooling != model::Pooling::per_position)
    contract_failure("train_step", "targets", "are given",
                     "none but where the pooling is per_position (C3)");
  if (batch.targets.size() != batch.inputs.tokens.ids.size())
    contract_failure("train_step", "targets",
                     fmt::format("has {} for {} positions", batch.targets.size(),
                                 batch.inputs.tokens.ids.size()),
                     "one a position (C3)");
}

/// The paper's warm-up counts optimizer steps, however many batches they have.
void count_once(NamedDeviceTensors& norms, const NamedDeviceTensors& before) {
  NamedDeviceTensors counted;
  for (const auto& [name, values] : norms)
    if (name.ends_with(".iterations"))
      counted.set(name, device::full_tensor(values.device(), {1},
                                            device::download(before.at(name)).data()[0] + 1));
  for (const auto& [name, values] : counted) norms.set(name, values);
}

}  // namespace

std::vector<int> targets_of(const model::TrainConfig& config, const LabelledBatch& batch) {
  if (config.encoder.pooling == model::Pooling::masked_mean) return batch.labels;
  if (!batch.targets.empty()) return batch.targets;
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

StepResult train_step(const model::TrainConfig& config, std::span<const LabelledBatch> batches,
                      const DeviceTensor<double>& class_weights, TrainState& state,
                      const nn::Products& products) {
  if (batches.empty() || std::cmp_less(config.accumulation, batches.size()))
    contract_failure("train_step", "batches", fmt::format("has {}", batches.size()),
                     fmt::format("1 to accumulation, which is {} (C1)", config.accumulation));
  for (const LabelledBatch& batch : batches) check_batch(config, batch);
  NamedDeviceTensors norms = state.norms;
  Gradients gradients;
  StepResult result;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const LabelledBatch& batch = batches[i];
    encoder::Encoder encoder(config.encoder, state.parameters);
    encoder::EncoderRun run;
    run.seed = config.seed;
    run.step = static_cast<std::uint64_t>(state.step * config.accumulation) + i;
    run.products = &products;
    const DeviceTensor<double> logits = encoder.forward(batch.inputs, run, norms);
    const std::size_t classes = logits.shape().back();
    const std::vector<int> targets = targets_of(config, batch);
    const CrossEntropyForward loss = cross_entropy(
        logits.reshaped({logits.size() / classes, classes}), targets, class_weights, config.loss);
    result.loss += loss.loss;
    const DeviceTensor<double> grad_logits =
        cross_entropy_backward(loss.log_probabilities, targets, class_weights, config.loss)
            .reshaped(logits.shape());
    accumulate(gradients, encoder.backward(grad_logits, norms));
  }
  if (batches.size() > 1) {
    result.loss /= static_cast<double>(batches.size());
    divide(gradients, batches.size());
    if (std::holds_alternative<model::PowerNormOptions>(config.encoder.norm))
      count_once(norms, state.norms);
  }
  result.gradient_norms = clip_gradients(gradients, config.max_gradient_norm);
  result.learning_rate = learning_rate(config.schedule, config.learning_rate, state.step + 1);
  optimizer_step(config.optimizer, result.learning_rate, state.parameters, gradients,
                 state.optimizer);
  state.norms = std::move(norms);
  ++state.step;
  return result;
}

}  // namespace normproof::gpu::train
