#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/train/accumulate.hpp"
#include "gpu/train/recorded_work.hpp"
#include "gpu/train/trainer.hpp"
#include "gpu/train/vocabulary_loss.hpp"
#include "ref/tensor/contract.hpp"

/// Code that the training steps and evaluations of language models and translators share. These
/// models have a head with one logit per token of a vocabulary. Device version of
/// ref/train/vocabulary_step.hpp. The clauses are the same as in language.hpp.
namespace normproof::gpu::train {

/// Checks    that each position has a target
/// Requires  (C3) of language_gradient
inline void check_targets(std::string_view function, const std::vector<int>& targets,
                          const nn::Tokens& tokens) {
  if (targets.size() != tokens.ids.size())
    ref::numeric::contract_failure(
        function, "targets",
        fmt::format("has {} for {} positions", targets.size(), tokens.ids.size()), "one a position",
        ref::numeric::Clause::C3);
}

/// Reshapes [B,T,D] to [B T,D], one row per position.
inline DeviceTensor<double> reshape_to_rows(const DeviceTensor<double>& hidden) {
  const std::size_t width = hidden.shape().back();
  return hidden.reshaped({hidden.size() / width, width});
}

/// The results that the device computes for a gradient.
struct SummedGradient {
  NamedDeviceTensors norms;
  Gradients gradients;
  DeviceTensor<double> sums_of_squares;
  std::vector<DeviceTensor<double>> losses;    ///< of each batch
  std::vector<NamedDeviceTensors> statistics;  ///< of each batch
};

/// Returns the mean gradient over the batches of a step. pass(batch, run, sum) must add the loss
/// and the gradients of a batch to `sum` and update sum.norms. count(norms, before) must set
/// PowerNorm's iteration counts as if all batches were one step.
/// Requires  (C2) of language_gradient
template <class Batch, class Pass, class Count>
LossGradient mean_gradient(std::string_view function, const ref::model::TrainConfig& config,
                           std::span<const Batch> batches, const TrainState& state,
                           const nn::Products& products, const Pass& pass, const Count& count) {
  if (batches.empty() || std::cmp_less(config.accumulation, batches.size()))
    ref::numeric::contract_failure(
        function, "batches", fmt::format("has {}", batches.size()),
        fmt::format("1 to accumulation, which is {}", config.accumulation),
        ref::numeric::Clause::C2);
  SummedGradient found = run_with_recording(state_device(state), products, "gradients", [&] {
    SummedGradient sum;
    sum.norms = state.norms;
    for (std::size_t i = 0; i < batches.size(); ++i) {
      encoder::ModelRunSettings run;
      run.seed = config.seed;
      run.step = static_cast<std::uint64_t>(state.step * config.accumulation) + i;
      run.products = &products;
      run.statistics = &sum.statistics.emplace_back();
      pass(batches[i], run, sum);
    }
    if (batches.size() > 1) {
      divide(sum.gradients, batches.size());
      count(sum.norms, state.norms);
    }
    sum.sums_of_squares = sums_of_squares(sum.gradients);
    return sum;
  });
  LossGradient result;
  for (const DeviceTensor<double>& loss : found.losses)
    result.loss += device::download_element(loss);
  if (batches.size() > 1) result.loss /= static_cast<double>(batches.size());
  result.gradients = std::move(found.gradients);
  result.sums_of_squares = std::move(found.sums_of_squares);
  result.norms = std::move(found.norms);
  result.statistics = std::move(found.statistics);
  return result;
}

/// Runs the forward and backward of a batch, including the head. Adds its loss and the gradients of
/// the parameters to `sum`. `name` converts the model's gradients to Gradients.
template <class Model, class Batch, class Name>
void add_batch(Model& model, const Batch& batch, const ref::model::LossOptions& options,
               const encoder::ModelRunSettings& run, const Name& name, SummedGradient& sum) {
  const DeviceTensor<double> hidden = model.hidden(batch.inputs, run, sum.norms);
  VocabularyLoss found = vocabulary_loss_gradient(reshape_to_rows(hidden), model.head(),
                                                  batch.targets, options, 0, *run.products);
  sum.losses.push_back(std::move(found.loss));
  accumulate(sum.gradients, name(model.hidden_backward(found.grad_x.reshaped(hidden.shape()),
                                                       std::move(found.head), sum.norms)));
}

/// Returns the mean of -log p over all targets of all batches, where p is the probability of the
/// target. loss(batch) returns the mean of one batch, [1].
/// Requires  at least one batch. This is the first half of (C2) of language_gradient; the number of
///           batches has no maximum here
template <class Batch, class Loss>
double mean_loss(std::string_view function, std::span<const Batch> batches, const TrainState& state,
                 const nn::Products& products, const Loss& loss) {
  if (batches.empty())
    ref::numeric::contract_failure(function, "batches", "has none", "at least one",
                                   ref::numeric::Clause::C2);
  double sum = 0, all = 0;
  for (const Batch& batch : batches) {
    const auto ignored = std::ranges::count(batch.targets, kIgnored);
    const auto count =
        static_cast<double>(batch.targets.size() - static_cast<std::size_t>(ignored));
    sum += count * device::download_element(run_with_recording(
                       state_device(state), products, "evaluation", [&] { return loss(batch); }));
    all += count;
  }
  return sum / all;
}

}  // namespace normproof::gpu::train
