#include "gpu/train/trainer.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <utility>

#include "gpu/device/recording.hpp"
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
      counted.set(name,
                  device::full_tensor(values.device(), {1}, device::only(before.at(name)) + 1));
  for (const auto& [name, values] : counted) norms.set(name, values);
}

/// What a step computes before anything moves.
struct Backward {
  NamedDeviceTensors norms;
  Gradients gradients;
  DeviceTensor<double> sums_of_squares;      ///< of the gradients
  std::vector<DeviceTensor<double>> losses;  ///< of each batch, [1]
};

Backward run_batches(const model::TrainConfig& config, std::span<const LabelledBatch> batches,
                     const std::vector<std::vector<int>>& targets,
                     const DeviceTensor<double>& class_weights, const TrainState& state,
                     const nn::Products& products) {
  Backward result;
  result.norms = state.norms;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    encoder::Encoder encoder(config.encoder, state.parameters);
    encoder::EncoderRun run;
    run.seed = config.seed;
    run.step = static_cast<std::uint64_t>(state.step * config.accumulation) + i;
    run.products = &products;
    const DeviceTensor<double> logits = encoder.forward(batches[i].inputs, run, result.norms);
    const std::size_t classes = logits.shape().back();
    const CrossEntropyForward loss =
        cross_entropy(logits.reshaped({logits.size() / classes, classes}), targets[i],
                      class_weights, config.loss);
    result.losses.push_back(loss.loss);
    const DeviceTensor<double> grad_logits =
        cross_entropy_backward(loss.log_probabilities, targets[i], class_weights, config.loss)
            .reshaped(logits.shape());
    accumulate(result.gradients, encoder.backward(grad_logits, result.norms));
  }
  if (batches.size() > 1) {
    divide(result.gradients, batches.size());
    if (std::holds_alternative<model::PowerNormOptions>(config.encoder.norm))
      count_once(result.norms, state.norms);
  }
  result.sums_of_squares = sums_of_squares(result.gradients);
  return result;
}

/// What `run` computes, recorded and then done at once; nothing where it refuses something.
template <class Run>
std::optional<Backward> recorded(device::Device& device, const Run& run) {
  device::Recording recording(device, "gradients");
  std::optional<Backward> result;
  try {
    result = run();
  } catch (const ref::numeric::ContractError&) {
    return {};  // a check of values before it may have more to say
  }
  recording.perform();
  if (recording.refused()) return {};
  return result;
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
  std::vector<std::vector<int>> targets;
  targets.reserve(batches.size());
  for (const LabelledBatch& batch : batches) targets.push_back(targets_of(config, batch));
  device::Device& device = state.parameters.begin()->second.device();
  const auto run = [&] {
    return run_batches(config, batches, targets, class_weights, state, products);
  };
  std::optional<Backward> found;
  if (!products.shows_values()) found = recorded(device, run);
  if (!found) found = run();  // which says what is refused

  StepResult result;
  for (const DeviceTensor<double>& loss : found->losses) result.loss += device::only(loss);
  if (batches.size() > 1) result.loss /= static_cast<double>(batches.size());
  check_max_norm(config.max_gradient_norm);
  result.gradient_norms = gradient_norms(found->gradients, found->sums_of_squares);
  result.learning_rate = learning_rate(config.schedule, config.learning_rate, state.step + 1);
  device::Recording update(device, "update");
  clip_gradients(found->gradients, result.gradient_norms, config.max_gradient_norm);
  update_parameters(config.optimizer, result.learning_rate, state.parameters, found->gradients,
                    state.optimizer);
  update.perform();
  state.norms = std::move(found->norms);
  ++state.step;
  return result;
}

}  // namespace normproof::gpu::train
