#include <fmt/format.h>

#include "ref/nn/positional_encoding.hpp"
#include "ref/train/trainer.hpp"
#include "ref/translation/translation.hpp"
#include "verification/determinism/probe.hpp"

namespace normproof::verification::determinism {
namespace {

namespace train = ref::train;
using ref::model::NormPlacement;
using ref::model::Pooling;
using ref::model::TrainConfig;
using ref::tensor::Mask;

constexpr std::size_t kVocab = 24;

TrainConfig training_config(const std::string& norm, NormPlacement placement) {
  TrainConfig config;
  config.encoder.vocab_size = kVocab;
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

/// Sentences of 1 to seq_len tokens, padded.
train::LabelledBatch random_batch(Inputs& inputs, std::size_t batch_size, std::size_t seq_len) {
  train::LabelledBatch batch;
  batch.inputs.tokens = {batch_size, seq_len, {}};
  batch.inputs.valid = ref::tensor::empty_tensor<bool>({batch_size, seq_len});
  for (std::size_t b = 0; b < batch_size; ++b) {
    const std::size_t length = b == 0 ? seq_len : 1 + inputs.below(seq_len);
    for (std::size_t t = 0; t < seq_len; ++t) {
      batch.inputs.valid.data()[b * seq_len + t] = t < length;
      batch.inputs.tokens.ids.push_back(
          t < length ? 1 + static_cast<std::int32_t>(inputs.below(kVocab - 1)) : 0);
    }
    batch.labels.push_back(static_cast<int>(inputs.below(3)));
  }
  return batch;
}

struct Trajectory {
  std::size_t steps = 29, batch_size = 5, seq_len = 6;
};

/// Loss, parameters and running statistics after each step; at the end the logits' predictions.
void follow(const std::string& probe, const TrainConfig& config, const Trajectory& length,
            Values& values) {
  Inputs inputs(probe);
  auto state = train::initial_train_state(config);
  const ref::tensor::Tensor<double> class_weights{0.5, 1.25, 2};
  for (std::size_t step = 0; step < length.steps; ++step) {
    std::vector<train::LabelledBatch> batches;
    for (std::int64_t i = 0; i < config.accumulation; ++i)
      batches.push_back(random_batch(inputs, length.batch_size, length.seq_len));
    const auto result = train::train_step<double>(config, batches, class_weights, state);
    values.add(result.loss);
    values.add(result.gradient_norms.whole);
    for (const auto& [name, tensor] : state.parameters) values.add_folded(tensor);
    for (const auto& [name, tensor] : state.norms) values.add_folded(tensor);
  }
  const std::vector<train::LabelledBatch> last = {
      random_batch(inputs, length.batch_size, length.seq_len)};
  values.add(train::evaluate<double>(config, last, class_weights, state).loss);
}

void add(std::vector<Probe>& probes, const std::string& name, const TrainConfig& config,
         const Trajectory& length = {}) {
  const std::string probe = fmt::format("training/{}", name);
  probes.push_back({probe, [=](Values& values) { follow(probe, config, length, values); }});
}

/// A translator of 24 words and 20, its two sides with norms of their own.
ref::translation::TranslationConfig translation_config(const std::string& encoder_norm,
                                                       const std::string& decoder_norm,
                                                       NormPlacement placement) {
  const auto side = [](const std::string& norm) {
    return ref::model::LayersConfig{.num_heads = 2,
                                    .d_ff = 10,
                                    .num_layers = 2,
                                    .norm = ref::model::norm_options(norm),
                                    .final_norm = ref::model::norm_options(norm)};
  };
  ref::translation::TranslationConfig config;
  config.model = {.source_vocab_size = kVocab,
                  .target_vocab_size = kVocab - 4,
                  .d_model = 8,
                  .encoder = side(encoder_norm),
                  .decoder = side(decoder_norm),
                  .placement = placement};
  config.training = training_config(encoder_norm, placement);
  config.training.loss.label_smoothing = 0.0625;
  return config;
}

/// Pairs of sentences of 1 to 6 words and 1 to 5, padded.
ref::translation::PairBatch random_pairs(Inputs& inputs) {
  const Trajectory length;
  ref::translation::PairBatch batch;
  batch.inputs.source = random_batch(inputs, length.batch_size, length.seq_len).inputs;
  batch.inputs.target = random_batch(inputs, length.batch_size, length.seq_len - 1).inputs;
  for (std::int32_t& id : batch.inputs.target.tokens.ids) {
    id = id % (static_cast<std::int32_t>(kVocab) - 4);
    const bool valid = batch.inputs.target.valid.data()[batch.targets.size()];
    batch.targets.push_back(valid ? static_cast<int>(inputs.below(kVocab - 4)) : train::kIgnored);
  }
  return batch;
}

/// The same of a translator.
void follow_pairs(const std::string& probe, const ref::translation::TranslationConfig& config,
                  Values& values) {
  Inputs inputs(probe);
  auto state = ref::translation::initial_state(config);
  for (std::size_t step = 0; step < Trajectory().steps; ++step) {
    const std::vector<ref::translation::PairBatch> batches = {random_pairs(inputs)};
    const auto result = ref::translation::translation_step<double>(config, batches, state);
    values.add(result.loss);
    values.add(result.gradient_norms.whole);
    for (const auto& [name, tensor] : state.parameters) values.add_folded(tensor);
    for (const auto& [name, tensor] : state.norms) values.add_folded(tensor);
  }
  const std::vector<ref::translation::PairBatch> last = {random_pairs(inputs)};
  values.add(ref::translation::translation_loss<double>(config, last, state));
}

void add_pairs(std::vector<Probe>& probes, const std::string& name,
               const ref::translation::TranslationConfig& config) {
  const std::string probe = fmt::format("training/{}", name);
  probes.push_back({probe, [=](Values& values) { follow_pairs(probe, config, values); }});
}

}  // namespace

void add_training_probes(std::vector<Probe>& probes) {
  probes.push_back({"training/positions", [](Values& values) {
                      values.add_folded(ref::nn::positional_encoding(70, 34));
                    }});
  for (const std::string& norm : ref::model::norm_names()) {
    add(probes, norm + "_post", training_config(norm, NormPlacement::post));
    add(probes, norm + "_pre", training_config(norm, NormPlacement::pre));
  }
  TrainConfig other = training_config("layer_norm", NormPlacement::post);
  other.encoder.activation = ref::model::Activation::gelu;
  other.encoder.pooling = Pooling::per_position;
  other.optimizer = ref::model::SgdOptions{.momentum = 0.875};
  other.schedule = ref::model::InverseSquareRoot{.warmup_steps = 4};
  other.loss.label_smoothing = 0.0625;
  other.accumulation = 2;
  add(probes, "gelu_positions_sgd", other);
  other.encoder.activation = ref::model::Activation::gelu_tanh;
  other.encoder.mask_padding = false;
  other.optimizer = ref::model::AdamWOptions{};
  other.schedule = ref::model::LinearWarmup{.warmup_steps = 4};
  other.feed_forward_initialization = ref::model::PlainUniform{};
  add(probes, "gelu_tanh_positions_adamw", other);
  for (const char* norm : {"layer_norm", "batch_norm", "power_norm"}) {
    TrainConfig causal = training_config(norm, NormPlacement::pre);
    causal.encoder.causal = true;
    causal.encoder.pooling = Pooling::per_position;
    add(probes, fmt::format("{}_causal", norm), causal);
  }
  add_pairs(probes, "power_norm_post_translate",
            translation_config("power_norm", "layer_norm", NormPlacement::post));
  auto tied = translation_config("batch_norm", "rms_norm", NormPlacement::pre);
  tied.model.tied_head = true;
  add_pairs(probes, "batch_norm_pre_translate", tied);
  // Enough work for four threads, and tensors of more than one block.
  TrainConfig shared = training_config("power_norm", NormPlacement::post);
  shared.encoder.d_model = 64;
  shared.encoder.d_ff = 96;
  add(probes, "shared", shared, {.steps = 3, .batch_size = 16, .seq_len = 40});
}

}  // namespace normproof::verification::determinism
