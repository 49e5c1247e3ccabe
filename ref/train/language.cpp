#include "ref/train/language.hpp"

#include <utility>

#include "ref/train/vocabulary_step.hpp"

namespace normproof::ref::train {

namespace {

using encoder::Encoder;
using encoder::ModelRunSettings;
using model::TrainConfig;

constexpr auto kLanguageStep = "language_step";

void check_texts(const TrainConfig& config, std::span<const TextBatch> batches) {
  check_language_model(kLanguageStep, config.encoder);
  for (const TextBatch& batch : batches)
    check_targets(kLanguageStep, batch.targets, batch.inputs.tokens);
}

template <class T>
VocabularyHead<T> vocabulary_head(const TrainConfig& config,
                                  const encoder::EncoderParameters<T>& p) {
  return {config.encoder.tied_head ? p.embedding : p.head.weight, p.head.bias};
}

}  // namespace

template <numeric::Real T>
LossGradient<T> language_gradient(const TrainConfig& config, std::span<const TextBatch> batches,
                                  TrainState<T>& state, const encoder::TensorTap<T>& tap) {
  check_texts(config, batches);
  const auto parameters = borrow_parameters(config, state.parameters);
  return mean_gradient<T>(
      kLanguageStep, config, batches, state,
      [&](const TextBatch& batch, const ModelRunSettings& run, LossGradient<T>& sum) {
        Encoder<T> encoder(config.encoder, parameters.get(), tap);
        add_batch(
            encoder, config.encoder, vocabulary_head(config, parameters.get()), batch, config.loss,
            run, tap,
            [](encoder::EncoderGradients<T> own) { return to_named_gradients(std::move(own)); },
            sum);
      },
      [&](NamedTensors<T>& norms, const NamedTensors<T>& before) {
        set_iterations_to_one_step(config.encoder.norm, norms, before);
      });
}

template <numeric::Real T>
StepResult<T> language_step(const TrainConfig& config, std::span<const TextBatch> batches,
                            TrainState<T>& state, const encoder::TensorTap<T>& tap) {
  return apply_gradient(config, language_gradient(config, batches, state, tap), state, tap);
}

template <numeric::Real T>
T language_loss(const TrainConfig& config, std::span<const TextBatch> batches,
                TrainState<T>& state) {
  check_texts(config, batches);
  const auto parameters = borrow_parameters(config, state.parameters);
  return mean_loss<T>(kLanguageStep, batches, vocabulary_head(config, parameters.get()),
                      [&](const TextBatch& batch) {
                        NamedTensors<T> norms = state.norms;
                        return Encoder<T>(config.encoder, parameters.get())
                            .hidden(batch.inputs, {.mode = model::Mode::inference, .memory = 0},
                                    norms);
                      });
}

#define NORMPROOF_INSTANTIATE(T)                                                             \
  template LossGradient<T> language_gradient(const TrainConfig&, std::span<const TextBatch>, \
                                             TrainState<T>&, const encoder::TensorTap<T>&);  \
  template StepResult<T> language_step(const TrainConfig&, std::span<const TextBatch>,       \
                                       TrainState<T>&, const encoder::TensorTap<T>&);        \
  template T language_loss(const TrainConfig&, std::span<const TextBatch>, TrainState<T>&);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::train
