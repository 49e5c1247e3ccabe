#include "gpu/train/language.hpp"

#include "gpu/train/vocabulary_step.hpp"

namespace normproof::gpu::train {

namespace {

using ref::model::TrainConfig;

constexpr auto kLanguageStep = "language_step";

void check_language_model(const ref::model::EncoderConfig& config) {
  const auto refuse = [&](const char* field, const std::string& is, const std::string& expected) {
    ref::numeric::contract_failure(kLanguageStep, field, is, expected, ref::numeric::Clause::C1);
  };
  if (!config.causal) refuse("causal", "is false", "true: a language model sees no later token");
  if (config.pooling != ref::model::Pooling::per_position)
    refuse("pooling", "is masked_mean", "per_position");
  if (config.num_classes != config.vocab_size)
    refuse("num_classes", fmt::format("is {}", config.num_classes),
           fmt::format("vocab_size, {}", config.vocab_size));
}

void check_texts(const TrainConfig& config, std::span<const TextBatch> batches) {
  check_language_model(config.encoder);
  for (const TextBatch& batch : batches)
    check_targets(kLanguageStep, batch.targets, batch.inputs.tokens);
}

}  // namespace

LossGradient language_gradient(const TrainConfig& config, std::span<const TextBatch> batches,
                               const TrainState& state, const nn::Products& products) {
  check_texts(config, batches);
  return mean_gradient(
      kLanguageStep, config, batches, state, products,
      [&](const TextBatch& batch, const encoder::ModelRunSettings& run, SummedGradient& sum) {
        encoder::Encoder encoder(config.encoder, state.parameters);
        add_batch(encoder, batch, config.loss, run, to_named_gradients, sum);
      },
      [&](NamedDeviceTensors& norms, const NamedDeviceTensors& before) {
        set_iterations_to_one_step(config.encoder.norm, norms, before);
      });
}

StepResult language_step(const TrainConfig& config, std::span<const TextBatch> batches,
                         TrainState& state, const nn::Products& products) {
  return apply_gradient(config, language_gradient(config, batches, state, products), state);
}

double language_loss(const TrainConfig& config, std::span<const TextBatch> batches,
                     const TrainState& state, const nn::Products& products) {
  check_texts(config, batches);
  return mean_loss(kLanguageStep, batches, state, products, [&](const TextBatch& batch) {
    encoder::Encoder encoder(config.encoder, state.parameters);
    encoder::ModelRunSettings run;
    run.mode = ref::model::Mode::inference;
    run.products = &products;
    NamedDeviceTensors norms = state.norms;
    const auto hidden = reshape_to_rows(encoder.hidden(batch.inputs, run, norms));
    return vocabulary_loss(hidden, encoder.head(), batch.targets, {}, 0, products);
  });
}

}  // namespace normproof::gpu::train
