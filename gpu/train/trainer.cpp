#include "gpu/train/trainer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "gpu/train/accumulate.hpp"
#include "gpu/train/cross_entropy.hpp"
#include "gpu/train/recorded_work.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::gpu::train {
namespace {

namespace model = ref::model;
using ref::numeric::Clause;
using ref::numeric::contract_failure;

void check_batch(const model::TrainConfig& config, const LabelledBatch& batch) {
  const std::size_t count = batch.inputs.tokens.batch_size;
  if (batch.labels.size() != count)
    contract_failure("train_step", "labels",
                     fmt::format("has {} for {} sentences", batch.labels.size(), count),
                     "one a sentence", Clause::C2);
  for (std::size_t b = 0; b < count; ++b)
    if (batch.labels[b] < 0 ||
        static_cast<std::size_t>(batch.labels[b]) >= config.encoder.num_classes)
      contract_failure("train_step", "labels",
                       fmt::format("has the class {} at {}", batch.labels[b], b),
                       fmt::format("0 to {}", config.encoder.num_classes - 1), Clause::C2);
  if (batch.targets.empty()) return;
  if (config.encoder.pooling != model::Pooling::per_position)
    contract_failure("train_step", "targets", "are given",
                     "none but where the pooling is per_position", Clause::C3);
  if (batch.targets.size() != batch.inputs.tokens.ids.size())
    contract_failure("train_step", "targets",
                     fmt::format("has {} for {} positions", batch.targets.size(),
                                 batch.inputs.tokens.ids.size()),
                     "one a position", Clause::C3);
}

/// The results of a model's forward and of the loss.
struct Forward {
  DeviceTensor<double> logits;
  CrossEntropyForward loss;
};

Forward run_forward(const model::TrainConfig& config, const LabelledBatch& batch,
                    const std::vector<int>& targets, const DeviceTensor<double>& class_weights,
                    encoder::Encoder& encoder, const encoder::ModelRunSettings& run,
                    NamedDeviceTensors& norms) {
  Forward result{encoder.forward(batch.inputs, run, norms), {}};
  const std::size_t classes = result.logits.shape().back();
  result.loss = cross_entropy(result.logits.reshaped({result.logits.size() / classes, classes}),
                              targets, class_weights, config.loss);
  return result;
}

/// The results that the device computes for loss_gradient.
struct Backward {
  NamedDeviceTensors norms;
  Gradients gradients;
  DeviceTensor<double> sums_of_squares;
  std::vector<DeviceTensor<double>> losses, logits;  ///< one per batch
};

/// The inputs of a step or of an evaluation.
struct StepInputs {
  const model::TrainConfig& config;
  std::span<const LabelledBatch> batches;
  std::vector<std::vector<int>> targets;
  const DeviceTensor<double>& class_weights;
  const TrainState& state;
  const nn::Products& products;
  model::Mode mode;
};

StepInputs check_step_inputs(const model::TrainConfig& config,
                             std::span<const LabelledBatch> batches,
                             const DeviceTensor<double>& class_weights, const TrainState& state,
                             const nn::Products& products, model::Mode mode) {
  StepInputs result{config, batches, {}, class_weights, state, products, mode};
  result.targets.reserve(batches.size());
  for (const LabelledBatch& batch : batches) {
    check_batch(config, batch);
    result.targets.push_back(row_targets(config, batch));
  }
  return result;
}

Backward run_batches(const StepInputs& in) {
  Backward result;
  result.norms = in.state.norms;
  for (std::size_t i = 0; i < in.batches.size(); ++i) {
    encoder::Encoder encoder(in.config.encoder, in.state.parameters);
    encoder::ModelRunSettings run;
    run.mode = in.mode;
    run.seed = in.config.seed;
    run.step = static_cast<std::uint64_t>(in.state.step * in.config.accumulation) + i;
    run.products = &in.products;
    const Forward forward = run_forward(in.config, in.batches[i], in.targets[i], in.class_weights,
                                        encoder, run, result.norms);
    result.losses.push_back(forward.loss.loss);
    result.logits.push_back(forward.logits);
    const DeviceTensor<double> grad_logits =
        cross_entropy_backward(forward.loss.log_probabilities, in.targets[i], in.class_weights,
                               in.config.loss)
            .reshaped(forward.logits.shape());
    accumulate(result.gradients, to_named_gradients(encoder.backward(grad_logits, result.norms)));
  }
  if (in.batches.size() > 1) {
    divide(result.gradients, in.batches.size());
    if (in.mode == model::Mode::training)
      set_iterations_to_one_step(in.config.encoder.norm, result.norms, in.state.norms);
  }
  result.sums_of_squares = sums_of_squares(result.gradients);
  return result;
}

/// Appends the predicted classes of a batch to `predictions`.
void add_predictions(const DeviceTensor<double>& logits, const LabelledBatch& batch,
                     std::vector<int>& predictions) {
  const auto own = predict(device::download(logits), batch.inputs.valid.host_flags());
  predictions.insert(predictions.end(), own.begin(), own.end());
}

/// Returns the sum of the class weights of all targets.
double total_target_weight(const std::vector<int>& targets,
                           const device::Tensor<double>& class_weights) {
  double weight = 0;
  for (const int target : targets)
    if (target != kIgnored)
      weight += ref::tensor::is_given(class_weights)
                    ? class_weights.data()[static_cast<std::size_t>(target)]
                    : 1.0;
  return weight;
}

}  // namespace

std::vector<int> row_targets(const model::TrainConfig& config, const LabelledBatch& batch) {
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

double rate_factor(const model::ConstantRate&, double) {
  return 1;
}
double rate_factor(const model::LinearWarmup& options, double t) {
  const auto w = static_cast<double>(options.warmup_steps);
  return t < w ? t / w : 1;
}
double rate_factor(const model::InverseSquareRoot& options, double t) {
  const auto w = static_cast<double>(options.warmup_steps);
  return t < w ? t / w : std::sqrt(w / t);
}

double learning_rate(const model::ScheduleOptions& schedule, double base_rate, std::int64_t step) {
  const auto t = static_cast<double>(step);
  return base_rate *
         std::visit([t](const auto& options) { return rate_factor(options, t); }, schedule);
}

std::vector<int> predict(const device::Tensor<double>& logits, const device::Mask& valid) {
  const std::size_t classes = logits.shape().back(), sentences = logits.shape(0);
  const std::size_t positions = logits.dimension() == 3 ? logits.shape(1) : 1;
  std::vector<int> predictions(sentences);
  std::vector<double> sums(classes);
  for (std::size_t b = 0; b < sentences; ++b) {
    std::ranges::fill(sums, 0.0);
    for (std::size_t i = b * positions; i < (b + 1) * positions; ++i)
      if (positions == 1 || !ref::tensor::is_given(valid) || valid.data()[i])
        for (std::size_t c = 0; c < classes; ++c) sums[c] += logits.data()[i * classes + c];
    predictions[b] = static_cast<int>(std::ranges::max_element(sums) - sums.begin());
  }
  return predictions;
}

LossGradient loss_gradient(const model::TrainConfig& config, std::span<const LabelledBatch> batches,
                           const DeviceTensor<double>& class_weights, const TrainState& state,
                           const nn::Products& products, model::Mode mode) {
  if (batches.empty() || std::cmp_less(config.accumulation, batches.size()))
    contract_failure("train_step", "batches", fmt::format("has {}", batches.size()),
                     fmt::format("1 to accumulation, which is {}", config.accumulation),
                     Clause::C1);
  const StepInputs in = check_step_inputs(config, batches, class_weights, state, products, mode);
  Backward found = run_with_recording(state_device(state), products, "gradients",
                                      [&] { return run_batches(in); });
  LossGradient result;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    result.loss += device::download_element(found.losses[i]);
    add_predictions(found.logits[i], batches[i], result.predictions);
  }
  if (batches.size() > 1) result.loss /= static_cast<double>(batches.size());
  result.gradients = std::move(found.gradients);
  result.sums_of_squares = std::move(found.sums_of_squares);
  result.norms = std::move(found.norms);
  return result;
}

StepResult train_step(const model::TrainConfig& config, std::span<const LabelledBatch> batches,
                      const DeviceTensor<double>& class_weights, TrainState& state,
                      const nn::Products& products, model::Mode mode) {
  return apply_gradient(
      config, loss_gradient(config, batches, class_weights, state, products, mode), state);
}

StepResult apply_gradient(const model::TrainConfig& config, LossGradient found, TrainState& state) {
  StepResult result;
  result.loss = found.loss;
  result.predictions = std::move(found.predictions);
  result.statistics = std::move(found.statistics);
  check_max_norm(config.max_gradient_norm);
  result.gradient_norms = gradient_norms(found.gradients, found.sums_of_squares);
  result.learning_rate = learning_rate(config.schedule, config.learning_rate, state.step + 1);
  device::Recording update(state_device(state), "update");
  clip_gradients(found.gradients, result.gradient_norms, config.max_gradient_norm);
  update_parameters(config.optimizer, result.learning_rate, state.parameters, found.gradients,
                    state.optimizer);
  update.perform();
  state.norms = std::move(found.norms);
  ++state.step;
  return result;
}

Evaluation evaluate(const model::TrainConfig& config, std::span<const LabelledBatch> batches,
                    const DeviceTensor<double>& class_weights, const TrainState& state,
                    const nn::Products& products) {
  if (batches.empty())
    contract_failure("evaluate", "batches", "has none", "at least one", Clause::C1);
  const StepInputs in =
      check_step_inputs(config, batches, class_weights, state, products, model::Mode::inference);
  const device::Tensor<double> weights_there = device::download(class_weights);
  Evaluation result;
  double weights = 0;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const Forward forward = run_with_recording(state_device(state), products, "evaluation", [&] {
      encoder::Encoder encoder(config.encoder, state.parameters);
      encoder::ModelRunSettings run;
      run.mode = model::Mode::inference;
      run.products = &products;
      NamedDeviceTensors norms = state.norms;
      return run_forward(config, batches[i], in.targets[i], class_weights, encoder, run, norms);
    });
    const double weight = total_target_weight(in.targets[i], weights_there);
    result.loss += weight * device::download_element(forward.loss.loss);
    weights += weight;
    add_predictions(forward.logits, batches[i], result.predictions);
  }
  result.loss /= weights;
  return result;
}

}  // namespace normproof::gpu::train
