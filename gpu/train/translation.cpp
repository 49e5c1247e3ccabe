#include "gpu/train/translation.hpp"

#include <utility>

#include "gpu/train/vocabulary_step.hpp"

namespace normproof::gpu::train {

namespace {

using encoder::ModelRunSettings;

constexpr auto kTranslationStep = "translation_step";

void check_pairs(std::span<const PairBatch> batches) {
  for (const PairBatch& batch : batches)
    check_targets(kTranslationStep, batch.targets, batch.inputs.target.tokens);
}

/// Returns a decoder's gradients as lists of names and tensors.
Gradients gradients_by_name(decoder::DecoderGradients own) {
  Gradients gradients;
  gradients.dense = std::move(own.dense);
  gradients.rows.emplace_back("encoder.embedding.weight", std::move(own.source_embedding));
  if (!own.target_embedding.rows.empty())
    gradients.rows.emplace_back("decoder.embedding.weight", std::move(own.target_embedding));
  return gradients;
}

}  // namespace

LossGradient translation_gradient(const TranslationConfig& config,
                                  std::span<const PairBatch> batches, const TrainState& state,
                                  const Products& products) {
  check_pairs(batches);
  return mean_gradient(
      kTranslationStep, config.training, batches, state, products,
      [&](const PairBatch& batch, const ModelRunSettings& run, SummedGradient& sum) {
        decoder::Decoder decoder(config.model, state.parameters);
        add_batch(decoder, batch, config.training.loss, run, gradients_by_name, sum);
      },
      [&](NamedDeviceTensors& norms, const NamedDeviceTensors& before) {
        const auto once = [&](const ref::model::LayersConfig& layers, const std::string& side) {
          set_iterations_to_one_step(layers.norm, norms, before, side + "layers.");
          set_iterations_to_one_step(layers.final_norm, norms, before, side + "final_norm.");
        };
        once(config.model.encoder, "encoder.");
        once(config.model.decoder, "decoder.");
      });
}

StepResult translation_step(const TranslationConfig& config, std::span<const PairBatch> batches,
                            TrainState& state, const Products& products) {
  return apply_gradient(config.training, translation_gradient(config, batches, state, products),
                        state);
}

double translation_loss(const TranslationConfig& config, std::span<const PairBatch> batches,
                        const TrainState& state, const Products& products) {
  check_pairs(batches);
  return mean_loss(kTranslationStep, batches, state, products, [&](const PairBatch& batch) {
    decoder::Decoder decoder(config.model, state.parameters);
    ModelRunSettings run;
    run.mode = ref::model::Mode::inference;
    run.products = &products;
    NamedDeviceTensors norms = state.norms;
    const auto hidden = reshape_to_rows(decoder.hidden(batch.inputs, run, norms));
    return vocabulary_loss(hidden, decoder.head(), batch.targets, {}, 0, products);
  });
}

}  // namespace normproof::gpu::train
