#include "ref/train/trainer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ref/tensor/contract.hpp"
#include "ref/train/accumulation.hpp"
#include "ref/train/cross_entropy.hpp"
#include "ref/train/learning_rate.hpp"

namespace normproof::ref::train {

using numeric::Clause;

namespace {

using encoder::Encoder;
using encoder::ModelRunSettings;
using encoder::TensorTap;
using model::TrainConfig;

void check_batch(const TrainConfig& config, const LabelledBatch& batch) {
  const std::size_t count = batch.inputs.tokens.batch_size;
  if (batch.labels.size() != count)
    numeric::contract_failure("train_step", "labels",
                              fmt::format("has {} for {} sentences", batch.labels.size(), count),
                              "one a sentence", Clause::C2);
  for (std::size_t b = 0; b < count; ++b)
    if (batch.labels[b] < 0 ||
        static_cast<std::size_t>(batch.labels[b]) >= config.encoder.num_classes)
      numeric::contract_failure("train_step", "labels",
                                fmt::format("has the class {} at {}", batch.labels[b], b),
                                fmt::format("0 to {}", config.encoder.num_classes - 1), Clause::C2);
  if (batch.targets.empty()) return;
  if (config.encoder.pooling != model::Pooling::per_position)
    numeric::contract_failure("train_step", "targets", "are given",
                              "none but where the pooling is per_position", Clause::C3);
  if (batch.targets.size() != batch.inputs.tokens.ids.size())
    numeric::contract_failure("train_step", "targets",
                              fmt::format("has {} for {} positions", batch.targets.size(),
                                          batch.inputs.tokens.ids.size()),
                              "one a position", Clause::C3);
}

/// Returns the target of each row of the logits: one target per sentence or one per position,
/// depending on the pooling.
std::vector<int> row_targets(const TrainConfig& config, const LabelledBatch& batch) {
  if (config.encoder.pooling == model::Pooling::masked_mean) return batch.labels;
  if (!batch.targets.empty()) return batch.targets;
  std::vector<int> targets;
  const Mask& valid = batch.inputs.valid;
  const bool masked = config.encoder.mask_padding && tensor::is_given(valid);
  for (std::size_t i = 0; i < batch.inputs.tokens.ids.size(); ++i)
    targets.push_back(masked && !valid.data()[i] ? kIgnored
                                                 : batch.labels[i / batch.inputs.tokens.seq_len]);
  return targets;
}

template <class T>
Tensor<double> to_doubles(const Tensor<T>& values) {
  Tensor<double> result = tensor::empty_tensor<double>(tensor::shape_of(values));
  for (std::size_t i = 0; i < values.size(); ++i)
    result.data()[i] = numeric::to_double(values.data()[i]);
  return result;
}

/// Returns the sum of the class weights of the targets that are not ignored.
template <class T>
T total_target_weight(const std::vector<int>& targets, const Tensor<T>& class_weights) {
  T weight(0);
  for (const int target : targets)
    if (target != kIgnored)
      weight += tensor::is_given(class_weights)
                    ? class_weights.data()[static_cast<std::size_t>(target)]
                    : T(1);
  return weight;
}

}  // namespace

template <numeric::Real T>
LossGradient<T> loss_gradient(const TrainConfig& config, std::span<const LabelledBatch> batches,
                              const Tensor<T>& class_weights, TrainState<T>& state,
                              const TensorTap<T>& tap, model::Mode mode) {
  if (batches.empty() || std::cmp_less(config.accumulation, batches.size()))
    numeric::contract_failure("train_step", "batches", fmt::format("has {}", batches.size()),
                              fmt::format("1 to accumulation, which is {}", config.accumulation),
                              Clause::C1);
  for (const LabelledBatch& batch : batches) check_batch(config, batch);
  const auto parameters = borrow_parameters(config, state.parameters);
  LossGradient<T> result;
  result.norms = state.norms;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const LabelledBatch& batch = batches[i];
    const auto number = static_cast<std::uint64_t>(state.step * config.accumulation) + i;
    const ModelRunSettings run{mode, config.seed, number};
    Encoder<T> encoder(config.encoder, parameters.get(), tap);
    const Tensor<T> logits = encoder.forward(batch.inputs, run, result.norms);
    const tensor::Shape shape = tensor::shape_of(logits);
    const std::vector<int> targets = row_targets(config, batch);
    const auto loss = cross_entropy(reshape_to_rows(logits), targets, class_weights, config.loss);
    std::ranges::copy(predict(to_doubles(logits), batch.inputs.valid),
                      std::back_inserter(result.predictions));
    result.loss += loss.loss;
    if (tap) tap("loss", tensor::full_tensor<T>({1}, loss.loss));
    Tensor<T> grad =
        cross_entropy_backward(loss.log_probabilities, targets, class_weights, config.loss);
    grad.reshape(shape);
    if (tap) tap("grad_logits", grad);
    accumulate(result.gradients, to_named_gradients(encoder.backward(grad, result.norms)));
  }
  if (batches.size() > 1) {
    result.loss /= T(static_cast<double>(batches.size()));
    divide(result.gradients, batches.size());
    if (mode == model::Mode::training)
      set_iterations_to_one_step(config.encoder.norm, result.norms, state.norms);
  }
  return result;
}

template <numeric::Real T>
StepResult<T> train_step(const TrainConfig& config, std::span<const LabelledBatch> batches,
                         const Tensor<T>& class_weights, TrainState<T>& state,
                         const TensorTap<T>& tap, model::Mode mode) {
  return apply_gradient(config, loss_gradient(config, batches, class_weights, state, tap, mode),
                        state, tap);
}

template <numeric::Real T>
StepResult<T> apply_gradient(const TrainConfig& config, LossGradient<T> found, TrainState<T>& state,
                             const TensorTap<T>& tap) {
  Gradients<T>& gradients = found.gradients;
  StepResult<T> result;
  result.loss = std::move(found.loss);
  result.predictions = std::move(found.predictions);
  result.gradient_norms = clip_gradients(gradients, config.max_gradient_norm);
  if (tap) {
    for (const auto& [name, values] : gradients.dense) tap("grad_" + name, values);
    for (const auto& [name, rows] : gradients.rows) {
      Tensor<T> ids = tensor::empty_tensor<T>({rows.rows.size()});
      for (std::size_t r = 0; r < rows.rows.size(); ++r)
        ids.data()[r] = T(static_cast<double>(rows.rows[r]));
      tap("grad_" + name + ".row_ids", ids);
      tap("grad_" + name + ".rows", rows.values);
    }
  }
  result.learning_rate = learning_rate(config.schedule, config.learning_rate, state.step + 1);
  optimizer_step(config.optimizer, result.learning_rate, state.parameters, gradients,
                 state.optimizer);
  state.norms = std::move(found.norms);
  ++state.step;
  return result;
}

template <numeric::Real T>
Evaluation<T> evaluate(const TrainConfig& config, std::span<const LabelledBatch> batches,
                       const Tensor<T>& class_weights, TrainState<T>& state) {
  if (batches.empty())
    numeric::contract_failure("evaluate", "batches", "has none", "at least one", Clause::C1);
  const auto parameters = borrow_parameters(config, state.parameters);
  Evaluation<T> result;
  T weights(0);
  for (const LabelledBatch& batch : batches) {
    check_batch(config, batch);
    NamedTensors<T> norms = state.norms;
    const Tensor<T> logits =
        Encoder<T>(config.encoder, parameters.get())
            .forward(batch.inputs, {.mode = model::Mode::inference, .memory = 0}, norms);
    const std::vector<int> targets = row_targets(config, batch);
    const T weight = total_target_weight(targets, class_weights);
    result.loss +=
        weight * cross_entropy(reshape_to_rows(logits), targets, class_weights, config.loss).loss;
    weights += weight;
    std::ranges::copy(predict(to_doubles(logits), batch.inputs.valid),
                      std::back_inserter(result.predictions));
  }
  result.loss /= weights;
  return result;
}

#define NORMPROOF_INSTANTIATE(T)                                                                \
  template LossGradient<T> loss_gradient(const TrainConfig&, std::span<const LabelledBatch>,    \
                                         const Tensor<T>&, TrainState<T>&, const TensorTap<T>&, \
                                         model::Mode);                                          \
  template StepResult<T> train_step(const TrainConfig&, std::span<const LabelledBatch>,         \
                                    const Tensor<T>&, TrainState<T>&, const TensorTap<T>&,      \
                                    model::Mode);                                               \
  template StepResult<T> apply_gradient(const TrainConfig&, LossGradient<T>, TrainState<T>&,    \
                                        const TensorTap<T>&);                                   \
  template Evaluation<T> evaluate(const TrainConfig&, std::span<const LabelledBatch>,           \
                                  const Tensor<T>&, TrainState<T>&);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::train
