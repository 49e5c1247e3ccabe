#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "ref/tensor/contract.hpp"
#include "ref/train/accumulation.hpp"
#include "ref/train/trainer.hpp"
#include "ref/train/vocabulary_loss.hpp"

/// Functions for training and evaluating models whose head predicts tokens of a vocabulary.
namespace normproof::ref::train {

/// Checks that there is one target for each position.
/// Requires  (C3) of language_gradient
inline void check_targets(std::string_view function, const std::vector<int>& targets,
                          const model::Tokens& tokens) {
  if (targets.size() != tokens.ids.size())
    numeric::contract_failure(
        function, "targets",
        fmt::format("has {} for {} positions", targets.size(), tokens.ids.size()), "one a position",
        numeric::Clause::C3);
}

/// Returns the mean loss and the mean gradient over the batches of a step. The function pass(batch,
/// run, sum) adds the loss and the gradients of one batch to `sum` and updates sum.norms. The
/// function count(norms, before) corrects the iteration counters of the norms, so that a step with
/// several batches counts once.
/// Requires  (C2) of language_gradient
template <class T, class Batch, class Pass, class Count>
LossGradient<T> mean_gradient(std::string_view function, const model::TrainConfig& config,
                              std::span<const Batch> batches, const TrainState<T>& state, Pass pass,
                              Count count) {
  if (batches.empty() || std::cmp_less(config.accumulation, batches.size()))
    numeric::contract_failure(function, "batches", fmt::format("has {}", batches.size()),
                              fmt::format("1 to accumulation, which is {}", config.accumulation),
                              numeric::Clause::C2);
  LossGradient<T> result;
  result.norms = state.norms;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const auto number = static_cast<std::uint64_t>(state.step * config.accumulation) + i;
    pass(batches[i], encoder::ModelRunSettings{model::Mode::training, config.seed, number}, result);
  }
  if (batches.size() > 1) {
    result.loss /= T(static_cast<double>(batches.size()));
    divide(result.gradients, batches.size());
    count(result.norms, state.norms);
  }
  return result;
}

/// Adds the loss of one batch, and the gradients of the model's parameters, to `sum`. It computes
/// the model's hidden states and the loss of the head, then the backward of the head and of the
/// model. The function to_named_gradients converts the model's gradients to Gradients<T>.
template <class T, class Model, class Config, class Batch, class ByName>
void add_batch(Model& model, const Config& config, const VocabularyHead<T>& head,
               const Batch& batch, const model::LossOptions& options,
               const encoder::ModelRunSettings& run, const encoder::TensorTap<T>& tap,
               ByName to_named_gradients, LossGradient<T>& sum) {
  Tensor<T> hidden = model.hidden(batch.inputs, run, sum.norms);
  const tensor::Shape shape = tensor::shape_of(hidden);
  VocabularyLoss<T> found =
      vocabulary_loss_gradient(reshape_to_rows(std::move(hidden)), head, batch.targets, options);
  sum.loss += found.loss;
  if (tap) tap("loss", tensor::full_tensor<T>({1}, found.loss));
  found.grad_x.reshape(shape);
  auto own = model.hidden_backward(std::move(found.grad_x), sum.norms);
  add_head_gradients(config, std::move(found.head), own);
  accumulate(sum.gradients, to_named_gradients(std::move(own)));
}

/// Returns the mean of -log p over the targets of all batches, where p is the probability of a
/// target. The function hidden(batch) returns the input of the head.
/// Requires  (C2) of language_gradient, except that any positive number of batches is allowed
template <class T, class Batch, class Hidden>
T mean_loss(std::string_view function, std::span<const Batch> batches,
            const VocabularyHead<T>& head, Hidden hidden) {
  if (batches.empty())
    numeric::contract_failure(function, "batches", "has none", "at least one", numeric::Clause::C2);
  T loss(0);
  double all = 0;
  for (const Batch& batch : batches) {
    const Tensor<T> rows = reshape_to_rows(hidden(batch));
    const auto ignored = std::ranges::count(batch.targets, kIgnored);
    const auto count =
        static_cast<double>(batch.targets.size() - static_cast<std::size_t>(ignored));
    loss += T(count) * vocabulary_loss(rows, head, batch.targets);
    all += count;
  }
  return loss / T(all);
}

}  // namespace normproof::ref::train
