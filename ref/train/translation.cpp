#include "ref/train/translation.hpp"

#include <utility>

#include "ref/train/vocabulary_step.hpp"

namespace normproof::ref::train {

using tensor::NamedTensors;

namespace {

using decoder::Decoder;
using decoder::DecoderGradients;
using decoder::DecoderParameters;
using encoder::ModelRunSettings;

constexpr auto kTranslationStep = "translation_step";

void check_pairs(std::span<const PairBatch> batches) {
  for (const PairBatch& batch : batches)
    check_targets(kTranslationStep, batch.targets, batch.inputs.target.tokens);
}

template <class T>
BorrowedParameters<T, DecoderParameters<T>> borrow_parameters(const TranslationConfig& config,
                                                              NamedTensors<T>& named) {
  return {named,
          [&](NamedTensors<T>&& own) { return decoder::from_named(config.model, std::move(own)); }};
}

template <class T>
VocabularyHead<T> vocabulary_head(const TranslationConfig& config, const DecoderParameters<T>& p) {
  return {config.model.tied_head ? p.embedding : p.head.weight, p.head.bias};
}

/// Returns the gradients of a decoder with the names of its parameters.
template <class T>
Gradients<T> to_named_gradients(DecoderGradients<T> own) {
  Gradients<T> gradients;
  gradients.rows.emplace_back("encoder.embedding.weight", std::move(own.source_embedding));
  if (!own.target_embedding.rows.empty())
    gradients.rows.emplace_back("decoder.embedding.weight", std::move(own.target_embedding));
  gradients.dense = to_named(std::move(own.parameters));
  return gradients;
}

}  // namespace

template <numeric::Real T>
LossGradient<T> translation_gradient(const TranslationConfig& config,
                                     std::span<const PairBatch> batches, TrainState<T>& state,
                                     const decoder::TensorTap<T>& tap) {
  check_pairs(batches);
  const auto parameters = borrow_parameters(config, state.parameters);
  return mean_gradient<T>(
      kTranslationStep, config.training, batches, state,
      [&](const PairBatch& batch, const ModelRunSettings& run, LossGradient<T>& sum) {
        Decoder<T> decoder(config.model, parameters.get(), tap);
        add_batch(
            decoder, config.model, vocabulary_head(config, parameters.get()), batch,
            config.training.loss, run, tap,
            [](DecoderGradients<T> own) { return to_named_gradients(std::move(own)); }, sum);
      },
      [&](NamedTensors<T>& norms, const NamedTensors<T>& before) {
        const auto once = [&](const model::LayersConfig& layers, const std::string& side) {
          set_iterations_to_one_step(layers.norm, norms, before, side + "layers.");
          set_iterations_to_one_step(layers.final_norm, norms, before, side + "final_norm.");
        };
        once(config.model.encoder, "encoder.");
        once(config.model.decoder, "decoder.");
      });
}

template <numeric::Real T>
StepResult<T> translation_step(const TranslationConfig& config, std::span<const PairBatch> batches,
                               TrainState<T>& state, const decoder::TensorTap<T>& tap) {
  return apply_gradient(config.training, translation_gradient(config, batches, state, tap), state,
                        tap);
}

template <numeric::Real T>
T translation_loss(const TranslationConfig& config, std::span<const PairBatch> batches,
                   TrainState<T>& state) {
  check_pairs(batches);
  const auto parameters = borrow_parameters(config, state.parameters);
  return mean_loss<T>(kTranslationStep, batches, vocabulary_head(config, parameters.get()),
                      [&](const PairBatch& batch) {
                        NamedTensors<T> norms = state.norms;
                        return Decoder<T>(config.model, parameters.get())
                            .hidden(batch.inputs, {.mode = model::Mode::inference, .memory = 0},
                                    norms);
                      });
}

#define NORMPROOF_INSTANTIATE(T)                                                                \
  template LossGradient<T> translation_gradient(const TranslationConfig&,                       \
                                                std::span<const PairBatch>, TrainState<T>&,     \
                                                const decoder::TensorTap<T>&);                  \
  template StepResult<T> translation_step(const TranslationConfig&, std::span<const PairBatch>, \
                                          TrainState<T>&, const decoder::TensorTap<T>&);        \
  template T translation_loss(const TranslationConfig&, std::span<const PairBatch>, TrainState<T>&);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::train
