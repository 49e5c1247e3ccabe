#include <fmt/format.h>

#include "ref/nn/positional_encoding.hpp"
#include "verification/checks/determinism/training_settings.hpp"

namespace normproof::verification::checks::determinism {
namespace {

namespace train = ref::train;
using ref::model::NormPlacement;
using ref::model::Pooling;
using ref::model::TrainConfig;

/// Executes a training run. After each step, adds the loss, the gradient norm, the parameters and
/// the running statistics to `values`. At the end, adds the loss of one more batch in evaluation.
void record_trajectory(const std::string& probe, const TrainConfig& config,
                       const TrajectoryExtents& length, Values& values) {
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
    for (const auto& [name, tensor] : state.parameters) values.add_block_hashes(tensor);
    for (const auto& [name, tensor] : state.norms) values.add_block_hashes(tensor);
  }
  const std::vector<train::LabelledBatch> last = {
      random_batch(inputs, length.batch_size, length.seq_len)};
  values.add(train::evaluate<double>(config, last, class_weights, state).loss);
}

void add(std::vector<Probe>& probes, const std::string& name, const TrainConfig& config,
         const TrajectoryExtents& length = {}) {
  const std::string probe = fmt::format("training/{}", name);
  probes.push_back(
      {probe, [=](Values& values) { record_trajectory(probe, config, length, values); }});
}

/// Like record_trajectory, for a translation model.
void record_translation_trajectory(const std::string& probe,
                                   const ref::train::TranslationConfig& config, Values& values) {
  Inputs inputs(probe);
  auto state = ref::train::initial_translation_state(config);
  for (std::size_t step = 0; step < TrajectoryExtents().steps; ++step) {
    const std::vector<ref::train::PairBatch> batches = {random_pairs(inputs)};
    const auto result = ref::train::translation_step<double>(config, batches, state);
    values.add(result.loss);
    values.add(result.gradient_norms.whole);
    for (const auto& [name, tensor] : state.parameters) values.add_block_hashes(tensor);
    for (const auto& [name, tensor] : state.norms) values.add_block_hashes(tensor);
  }
  const std::vector<ref::train::PairBatch> last = {random_pairs(inputs)};
  values.add(ref::train::translation_loss<double>(config, last, state));
}

}  // namespace

void add_training_probes(std::vector<Probe>& probes) {
  probes.push_back({"training/positions", [](Values& values) {
                      values.add_block_hashes(ref::nn::positional_encoding(70, 34));
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
  for (const auto& [name, config] : translation_probes())
    probes.push_back({name, [name = name, config = config](Values& values) {
                        record_translation_trajectory(name, config, values);
                      }});
  // This run is large enough for four threads, and its tensors have more than one block.
  TrainConfig shared = training_config("power_norm", NormPlacement::post);
  shared.encoder.d_model = 64;
  shared.encoder.d_ff = 96;
  add(probes, "shared", shared, {.steps = 3, .batch_size = 16, .seq_len = 40});
}

}  // namespace normproof::verification::checks::determinism
