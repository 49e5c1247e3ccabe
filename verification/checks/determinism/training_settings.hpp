#pragma once

#include <string>
#include <vector>

#include "ref/train/trainer.hpp"
#include "ref/train/translation.hpp"
#include "verification/checks/determinism/probe.hpp"

/// The models and training options of the training probes, and functions that make their batches.
namespace normproof::verification::checks::determinism {

/// The number of tokens in the source vocabulary of a translation model, and in the vocabulary of a
/// language model. The target vocabulary of a translation model has four tokens fewer.
inline constexpr std::size_t kProbeVocabulary = 24;

/// Returns the options for training an encoder of two layers with the given norm, using Adam.
inline ref::model::TrainConfig training_config(const std::string& norm,
                                               ref::model::NormPlacement placement) {
  ref::model::TrainConfig config;
  config.encoder.vocab_size = kProbeVocabulary;
  config.encoder.d_model = 8;
  config.encoder.num_heads = 2;
  config.encoder.d_ff = 10;
  config.encoder.num_layers = 2;
  config.encoder.placement = placement;
  config.encoder.norm = ref::model::norm_options(norm);
  config.optimizer = ref::model::AdamOptions{};
  config.learning_rate = 0.0078125;
  config.max_gradient_norm = 1;
  return config;
}

/// Returns a batch of padded sentences of 1 to seq_len tokens.
inline ref::train::LabelledBatch random_batch(Inputs& inputs, std::size_t batch_size,
                                              std::size_t seq_len) {
  ref::train::LabelledBatch batch;
  batch.inputs.tokens = {batch_size, seq_len, {}};
  batch.inputs.valid = ref::tensor::empty_tensor<bool>({batch_size, seq_len});
  for (std::size_t b = 0; b < batch_size; ++b) {
    const std::size_t length = b == 0 ? seq_len : 1 + inputs.below(seq_len);
    for (std::size_t t = 0; t < seq_len; ++t) {
      batch.inputs.valid.data()[b * seq_len + t] = t < length;
      batch.inputs.tokens.ids.push_back(
          t < length ? 1 + static_cast<std::int32_t>(inputs.below(kProbeVocabulary - 1)) : 0);
    }
    batch.labels.push_back(static_cast<int>(inputs.below(3)));
  }
  return batch;
}

/// The number of steps of a training run, and the extents of its batches.
struct TrajectoryExtents {
  std::size_t steps = 29, batch_size = 5, seq_len = 6;
};

/// Returns a translation model with vocabularies of 24 and 20 tokens. Its encoder and its decoder
/// have different norms.
inline ref::train::TranslationConfig translation_config(const std::string& encoder_norm,
                                                        const std::string& decoder_norm,
                                                        ref::model::NormPlacement placement) {
  const auto side = [](const std::string& norm) {
    return ref::model::LayersConfig{.num_heads = 2,
                                    .d_ff = 10,
                                    .num_layers = 2,
                                    .norm = ref::model::norm_options(norm),
                                    .final_norm = ref::model::norm_options(norm)};
  };
  ref::train::TranslationConfig config;
  config.model = {.source_vocab_size = kProbeVocabulary,
                  .target_vocab_size = kProbeVocabulary - 4,
                  .d_model = 8,
                  .encoder = side(encoder_norm),
                  .decoder = side(decoder_norm),
                  .placement = placement};
  config.training = training_config(encoder_norm, placement);
  config.training.loss.label_smoothing = 0.0625;
  return config;
}

/// Returns a batch of padded sentence pairs. Source sentences have 1 to 6 tokens, target sentences
/// 1 to 5.
inline ref::train::PairBatch random_pairs(Inputs& inputs) {
  const TrajectoryExtents length;
  ref::train::PairBatch batch;
  batch.inputs.source = random_batch(inputs, length.batch_size, length.seq_len).inputs;
  batch.inputs.target = random_batch(inputs, length.batch_size, length.seq_len - 1).inputs;
  for (std::int32_t& id : batch.inputs.target.tokens.ids) {
    id = id % (static_cast<std::int32_t>(kProbeVocabulary) - 4);
    const bool valid = batch.inputs.target.valid.data()[batch.targets.size()];
    batch.targets.push_back(valid ? static_cast<int>(inputs.below(kProbeVocabulary - 4))
                                  : ref::train::kIgnored);
  }
  return batch;
}

/// A probe that trains a translation model: its name and the configuration of the model.
struct TranslationProbe {
  std::string name;
  ref::train::TranslationConfig config;
};
inline std::vector<TranslationProbe> translation_probes() {
  using ref::model::NormPlacement;
  std::vector<TranslationProbe> probes = {
      {"training/power_norm_post_translate",
       translation_config("power_norm", "layer_norm", NormPlacement::post)},
      {"training/batch_norm_pre_translate",
       translation_config("batch_norm", "rms_norm", NormPlacement::pre)},
      {"training/layer_norm_pre_scaled_translate",
       translation_config("layer_norm", "layer_norm", NormPlacement::pre)}};
  probes[1].config.model.tied_head = true;
  probes[2].config.model.tied_head = probes[2].config.model.scaled_embedding = true;
  return probes;
}

}  // namespace normproof::verification::checks::determinism
