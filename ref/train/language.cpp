#include "ref/train/language.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ref/tensor/contract.hpp"
#include "ref/train/accumulation.hpp"
#include "ref/train/vocabulary_loss.hpp"

namespace normproof::ref::train {

using numeric::Clause;

namespace {

using encoder::Encoder;
using encoder::EncoderRun;
using model::TrainConfig;

constexpr auto kLanguageStep = "language_step";

void check_text(const TextBatch& batch) {
  if (batch.targets.size() != batch.inputs.tokens.ids.size())
    numeric::contract_failure(kLanguageStep, "targets",
                              fmt::format("has {} for {} positions", batch.targets.size(),
                                          batch.inputs.tokens.ids.size()),
                              "one a position", Clause::C3);
}

template <class T>
VocabularyHead<T> head_of(const TrainConfig& config, const encoder::EncoderParameters<T>& p) {
  return {config.encoder.tied_head ? p.embedding : p.head.weight, p.head.bias};
}

/// [B,T,D] as [B T, D].
template <class T>
Tensor<T> positions_as_rows(Tensor<T> hidden) {
  const std::size_t width = hidden.shape().back();
  hidden.reshape({hidden.size() / width, width});
  return hidden;
}

}  // namespace

template <numeric::Real T>
LossGradient<T> language_gradient(const TrainConfig& config, std::span<const TextBatch> batches,
                                  TrainState<T>& state, const encoder::Tap<T>& tap) {
  check_language_model(kLanguageStep, config.encoder);
  if (batches.empty() || std::cmp_less(config.accumulation, batches.size()))
    numeric::contract_failure(kLanguageStep, "batches", fmt::format("has {}", batches.size()),
                              fmt::format("1 to accumulation, which is {}", config.accumulation),
                              Clause::C2);
  for (const TextBatch& batch : batches) check_text(batch);
  const Borrowed<T> parameters(config, state.parameters);
  LossGradient<T> result;
  result.norms = state.norms;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const auto number = static_cast<std::uint64_t>(state.step * config.accumulation) + i;
    const EncoderRun run{model::Mode::training, config.seed, number};
    Encoder<T> encoder(config.encoder, parameters.get(), tap);
    Tensor<T> hidden = encoder.hidden(batches[i].inputs, run, result.norms);
    const tensor::Shape shape = tensor::shape_of(hidden);
    VocabularyLoss<T> found = vocabulary_loss_gradient(positions_as_rows(std::move(hidden)),
                                                       head_of(config, parameters.get()),
                                                       batches[i].targets, config.loss);
    result.loss += found.loss;
    if (tap) tap("loss", tensor::full_tensor<T>({1}, found.loss));
    found.grad_x.reshape(shape);
    encoder::EncoderGradients<T> own =
        encoder.hidden_backward(std::move(found.grad_x), result.norms);
    encoder::put_head(config.encoder, std::move(found.head), own);
    accumulate(result.gradients, std::move(own));
  }
  if (batches.size() > 1) {
    result.loss /= T(static_cast<double>(batches.size()));
    divide(result.gradients, batches.size());
    count_once(config.encoder.norm, result.norms, state.norms);
  }
  return result;
}

template <numeric::Real T>
StepResult<T> language_step(const TrainConfig& config, std::span<const TextBatch> batches,
                            TrainState<T>& state, const encoder::Tap<T>& tap) {
  return take_gradient(config, language_gradient(config, batches, state, tap), state, tap);
}

template <numeric::Real T>
T language_loss(const TrainConfig& config, std::span<const TextBatch> batches,
                TrainState<T>& state) {
  check_language_model(kLanguageStep, config.encoder);
  if (batches.empty())
    numeric::contract_failure(kLanguageStep, "batches", "has none", "at least one", Clause::C2);
  const Borrowed<T> parameters(config, state.parameters);
  T loss(0);
  double all = 0;
  for (const TextBatch& batch : batches) {
    check_text(batch);
    NamedTensors<T> norms = state.norms;
    const Tensor<T> hidden = positions_as_rows(
        Encoder<T>(config.encoder, parameters.get())
            .hidden(batch.inputs, {.mode = model::Mode::inference, .memory = 0}, norms));
    const auto ignored = std::ranges::count(batch.targets, kIgnored);
    const auto count =
        static_cast<double>(batch.targets.size() - static_cast<std::size_t>(ignored));
    loss += T(count) * vocabulary_loss(hidden, head_of(config, parameters.get()), batch.targets);
    all += count;
  }
  return loss / T(all);
}

#define NORMPROOF_INSTANTIATE(T)                                                             \
  template LossGradient<T> language_gradient(const TrainConfig&, std::span<const TextBatch>, \
                                             TrainState<T>&, const encoder::Tap<T>&);        \
  template StepResult<T> language_step(const TrainConfig&, std::span<const TextBatch>,       \
                                       TrainState<T>&, const encoder::Tap<T>&);              \
  template T language_loss(const TrainConfig&, std::span<const TextBatch>, TrainState<T>&);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::train
