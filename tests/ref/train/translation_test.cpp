#include "ref/train/translation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/numeric/parallel.hpp"
#include "ref/train/initialization.hpp"
#include "tests/ref/decoder/decoders.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::ref::train {
namespace {

using decoder::DecoderInputs;
using model::NormPlacement;
using tensor::NamedTensors;
using ::testing::HasSubstr;

TranslationConfig small_translation(bool tied, const std::string& encoder_norm = "layer_norm",
                                    NormPlacement placement = NormPlacement::post) {
  TranslationConfig config;
  config.model = decoder::small_decoder_config(encoder_norm, "layer_norm", placement);
  config.model.tied_head = tied;
  config.model.dropout = 0.25;
  config.training.optimizer = model::AdamOptions{};
  config.training.learning_rate = 0.05;
  config.training.accumulation = 2;
  config.training.loss.label_smoothing = 0.125;
  return config;
}

/// Returns a batch of two sentence pairs. The first target sentence ends with padding, for which no
/// token is predicted. The targets are increased by `shift` modulo the vocabulary size.
PairBatch sample_pairs(int shift = 0) {
  PairBatch batch{decoder::two_sentence_pairs(), {2, kIgnored, 1, 0}};
  for (int& target : batch.targets)
    if (target != kIgnored) target = (target + shift) % 3;
  return batch;
}

TEST(TranslationTraining, InitialStateFollowsTheConfig) {
  TranslationConfig config = small_translation(true, "power_norm", NormPlacement::pre);
  config.model.decoder.norm = model::norm_options("dyt");
  config.training.feed_forward_initialization = model::PlainUniform{.limit = 0};
  config.training.bias_initialization = model::BiasInitialization::fan_in_uniform;
  const TrainState<double> state = initial_translation_state(config);
  const NamedTensors<double>& p = state.parameters;
  EXPECT_EQ(p.at("encoder.layers.0.norm1.gamma"), tensor::full_tensor<double>({4}, 1.0));
  EXPECT_EQ(p.at("decoder.layers.0.norm3.alpha"), tensor::full_tensor<double>({1}, 0.5));
  EXPECT_EQ(p.at("decoder.layers.0.feed_forward.first.weight"),
            tensor::full_tensor<double>({3, 4}, 0.0));
  EXPECT_EQ(p.at("decoder.layers.0.cross_attention.memory.bias"),
            tensor::full_tensor<double>({8}, 0.0));
  const std::string query = "decoder.layers.0.cross_attention.query.weight";
  EXPECT_EQ(p.at(query),
            initial_values(config.training.initialization, query, {4, 4}, config.training.seed));
  // The limit 0.5 follows from the fan_in of the head, which shares its weight with the embedding.
  EXPECT_EQ(p.at("head.bias"), initial_values(model::PlainUniform{.limit = 0.5}, "head.bias", {3},
                                              config.training.seed));
  EXPECT_EQ(state.norms.names(), decoder::initial_norm_state<double>(config.model).names());
  EXPECT_EQ(state.step, 0);
}

// The loss must decrease, and the number of threads must not change the bits.
TEST(TranslationTraining, LearnsTheSameOnEveryThreadCount) {
  for (const bool tied : {true, false}) {
    TranslationConfig config = small_translation(tied);
    config.model.dropout = 0;
    config.training.loss.label_smoothing = 0;
    std::string first;
    for (const int threads : {1, 3}) {
      numeric::set_num_threads(threads);
      TrainState<double> state = initial_translation_state(config);
      EXPECT_EQ(state.parameters.contains("head.weight"), !tied);
      const std::vector<PairBatch> batches = {sample_pairs()};
      const double before = translation_loss<double>(config, batches, state);
      for (int step = 0; step < 40; ++step) {
        const auto result = translation_step<double>(config, batches, state);
        EXPECT_TRUE(result.predictions.empty());
        EXPECT_EQ(result.learning_rate, 0.05);
      }
      EXPECT_EQ(state.step, 40);
      EXPECT_LT(translation_loss<double>(config, batches, state), before / 4);
      if (first.empty()) first = state_sha256(state);
      EXPECT_EQ(state_sha256(state), first);
    }
    numeric::set_num_threads(1);
  }
}

TEST(TranslationTraining, StepAppliesTheOptimizerToTheGradient) {
  const TranslationConfig config = small_translation(false, "power_norm", NormPlacement::pre);
  const std::vector<PairBatch> batches = {sample_pairs(), sample_pairs(1)};
  TrainState<double> state = initial_translation_state(config), other = state;
  translation_step<double>(config, batches, state);
  auto found = translation_gradient<double>(config, batches, other);
  ASSERT_EQ(found.gradients.rows.size(), 2u);
  apply_gradient(config.training, std::move(found), other);
  EXPECT_EQ(state_sha256(state), state_sha256(other));
  // The warmup counter of PowerNorm increases once per step, not once per batch.
  EXPECT_EQ(state.norms.at("encoder.layers.0.norm1.iterations").data()[0], 1);
  EXPECT_EQ(state.norms.at("encoder.final_norm.iterations").data()[0], 1);
}

/// Compares the gradients of some parameters with central differences of the loss at 50 digits. The
/// loss is the mean over two batches.
TEST(TranslationTraining, GradientIsTheDerivativeOfTheLoss) {
  using numeric::oracle50;
  for (const bool tied : {true, false}) {
    TranslationConfig config = small_translation(tied);
    const std::vector<PairBatch> batches = {sample_pairs(), sample_pairs(1)};
    auto state = convert_state<oracle50>(initial_translation_state(config));
    const auto found = translation_gradient<oracle50>(config, batches, state);
    NamedTensors<oracle50> gradients = found.gradients.dense;
    for (const auto& [name, rows] : found.gradients.rows)
      gradients.set(name, encoder::to_dense(rows, state.parameters.at(name).shape(0), 4));
    EXPECT_EQ(gradients.size(), state.parameters.size());
    const oracle50 h("1e-15");
    // The truncation error is `h^2 / 6` times the third derivative, which is below 6e7. Rounding at
    // 50 digits adds about 1e-34 for a loss of a few units.
    const oracle50 difference_error = h * h * 10'000'000;
    for (const char* name : {"encoder.embedding.weight", "decoder.embedding.weight", "head.bias",
                             "decoder.layers.0.cross_attention.memory.weight"})
      for (std::size_t i = 0; i < gradients.at(name).size(); ++i) {
        oracle50& p = state.parameters.at(name).data()[i];
        const oracle50 kept = p;
        p = kept + h;
        const oracle50 above = translation_gradient<oracle50>(config, batches, state).loss;
        p = kept - h;
        const oracle50 below = translation_gradient<oracle50>(config, batches, state).loss;
        p = kept;
        const oracle50 slope = (above - below) / (2 * h);
        EXPECT_LE(abs(oracle50(slope - gradients.at(name).data()[i])), difference_error)
            << name << " " << i;
      }
  }
}

TEST(TranslationTraining, EvaluationLossIsTheMeanOverAllTargets) {
  TranslationConfig config = small_translation(true);
  TrainState<double> state = initial_translation_state(config);
  const std::string before = state_sha256(state);
  const std::vector<PairBatch> one = {sample_pairs()};
  const std::vector<PairBatch> twice = {sample_pairs(), sample_pairs()};
  const double loss = translation_loss<double>(config, one, state);
  EXPECT_EQ(translation_loss<double>(config, twice, state), loss);
  config.training.loss.label_smoothing = 0;  // smoothing applies only to training
  EXPECT_EQ(translation_loss<double>(config, one, state), loss);
  EXPECT_EQ(state_sha256(state), before);
}

TEST(TranslationTraining, RejectsWrongNumbersOfBatchesAndTargets) {
  const TranslationConfig config = small_translation(true);
  TrainState<double> state = initial_translation_state(config);
  const std::string before = state_sha256(state);
  const auto rejection_message = [&](std::vector<PairBatch> batches) {
    return numeric::contract_message([&] { translation_step<double>(config, batches, state); });
  };
  EXPECT_THAT(rejection_message({}), HasSubstr("translation_step: batches has 0; expected 1 to "
                                               "accumulation, which is 2 (C2)"));
  EXPECT_THAT(rejection_message({3, sample_pairs()}), HasSubstr("batches has 3"));
  PairBatch wrong = sample_pairs();
  wrong.targets.pop_back();
  EXPECT_THAT(rejection_message({wrong}),
              HasSubstr("targets has 3 for 4 positions; expected one a position (C3)"));
  EXPECT_THAT(numeric::contract_message([&] { translation_loss<double>(config, {}, state); }),
              HasSubstr("translation_step: batches has none; expected at least one (C2)"));
  EXPECT_EQ(state_sha256(state), before);
}

}  // namespace
}  // namespace normproof::ref::train
