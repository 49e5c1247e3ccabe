#include "ref/train/language.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/numeric/parallel.hpp"
#include "tests/ref/numeric/error_message.hpp"
#include "tests/ref/train/small_runs.hpp"

namespace normproof::ref::train {
namespace {

using ::testing::HasSubstr;

model::TrainConfig language_config(bool tied, const std::string& norm = "layer_norm") {
  model::TrainConfig config = small_train_config(norm);
  config.encoder.causal = true;
  config.encoder.pooling = model::Pooling::per_position;
  config.encoder.num_classes = config.encoder.vocab_size;
  config.encoder.tied_head = tied;
  config.encoder.dropout = 0.25;
  config.loss.label_smoothing = 0.125;
  return config;
}

/// Returns a batch of two sentences and their next tokens. The second sentence ends with padding.
/// The targets are increased by `shift` modulo the vocabulary size.
TextBatch sample_text(int shift = 0) {
  TextBatch batch{encoder::two_sentences(), {4, 2, 0, 1, 0, kIgnored}};
  for (int& target : batch.targets)
    if (target != kIgnored) target = (target + shift) % 5;
  return batch;
}

/// language_step computes the logits in blocks. train_step with per_position targets computes the
/// matrix of all logits. Both must give the same bits.
TEST(LanguageTraining, StepMatchesAStepThatStoresAllLogits) {
  for (const char* norm : {"layer_norm", "power_norm"}) {
    const model::TrainConfig config = language_config(false, norm);
    TrainState<double> expected = initial_train_state(config), state = expected;
    for (int step = 0; step < 3; ++step) {
      const std::vector<TextBatch> batches = {sample_text(step), sample_text(step + 1)};
      std::vector<LabelledBatch> labelled;
      for (const TextBatch& b : batches) labelled.push_back({b.inputs, {0, 0}, b.targets});
      const auto by_labelled_batches = train_step<double>(config, labelled, {}, expected);
      const auto result = language_step<double>(config, batches, state);
      EXPECT_EQ(result.loss, by_labelled_batches.loss);
      EXPECT_EQ(result.gradient_norms.whole, by_labelled_batches.gradient_norms.whole);
      EXPECT_TRUE(result.predictions.empty());
    }
    EXPECT_EQ(state_sha256(state), state_sha256(expected)) << norm;
  }
}

// A tied head uses the embedding as its weight. The model must learn, and the number of threads
// must not change the bits.
TEST(LanguageTraining, TiedModelLearnsTheSameOnEveryThreadCount) {
  model::TrainConfig config = language_config(true);
  config.encoder.dropout = 0;
  config.loss.label_smoothing = 0;
  std::string first;
  for (const int threads : {1, 3}) {
    numeric::set_num_threads(threads);
    TrainState<double> state = initial_train_state(config);
    EXPECT_FALSE(state.parameters.contains("head.weight"));
    const std::vector<TextBatch> batches = {sample_text()};
    const double before = language_loss<double>(config, batches, state);
    for (int step = 0; step < 30; ++step) language_step<double>(config, batches, state);
    EXPECT_LT(language_loss<double>(config, batches, state), before / 4);
    if (first.empty()) first = state_sha256(state);
    EXPECT_EQ(state_sha256(state), first);
  }
  numeric::set_num_threads(1);
}

/// Compares the gradient of the loss with respect to the embedding with central differences at 50
/// digits. The head is tied, so the embedding is also the weight of the head.
TEST(LanguageTraining, GradientOfATiedEmbeddingIsTheDerivative) {
  model::TrainConfig config = language_config(true);
  config.encoder.dropout = 0;
  using numeric::oracle50;
  const std::vector<TextBatch> batches = {sample_text()};
  auto state = convert_state<oracle50>(initial_train_state(config));
  const auto found = language_gradient<oracle50>(config, batches, state);
  const Tensor<oracle50>& gradient = found.gradients.dense.at("embedding.weight");
  EXPECT_TRUE(found.gradients.rows.empty());
  const oracle50 h("1e-15");
  // The truncation error is `h^2 / 6` times the third derivative, which is below 6e7. Rounding at
  // 50 digits adds about 1e-34 for a loss of a few units.
  const oracle50 difference_error = h * h * 10'000'000;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    oracle50& p = state.parameters.at("embedding.weight").data()[i];
    const oracle50 kept = p;
    p = kept + h;
    const oracle50 above = language_gradient<oracle50>(config, batches, state).loss;
    p = kept - h;
    const oracle50 below = language_gradient<oracle50>(config, batches, state).loss;
    p = kept;
    const oracle50 error = abs(oracle50((above - below) / (2 * h) - gradient.data()[i]));
    EXPECT_LE(error, difference_error) << i;
  }
}

TEST(LanguageTraining, EvaluationLossIsTheMeanOverAllTargets) {
  model::TrainConfig config = language_config(true);
  TrainState<double> state = initial_train_state(config);
  const std::string before = state_sha256(state);
  const std::vector<TextBatch> one = {sample_text()};
  const std::vector<TextBatch> twice = {sample_text(), sample_text()};
  const double loss = language_loss<double>(config, one, state);
  EXPECT_EQ(language_loss<double>(config, twice, state), loss);
  config.loss.label_smoothing = 0;  // smoothing applies only to training
  EXPECT_EQ(language_loss<double>(config, one, state), loss);
  EXPECT_EQ(state_sha256(state), before);
}

template <class Change>
std::string rejection_message(Change change) {
  model::TrainConfig config = language_config(false);
  std::vector<TextBatch> batches = {sample_text()};
  change(config, batches);
  TrainState<double> state = initial_train_state(config);
  return numeric::contract_message([&] { language_step<double>(config, batches, state); });
}

TEST(LanguageTraining, C1_RejectsEncodersThatAreNoLanguageModel) {
  EXPECT_THAT(rejection_message([](auto& c, auto&) { c.encoder.causal = false; }),
              HasSubstr("causal is false"));
  EXPECT_THAT(
      rejection_message([](auto& c, auto&) { c.encoder.pooling = model::Pooling::masked_mean; }),
      HasSubstr("pooling is masked_mean; expected per_position (C1)"));
  EXPECT_THAT(rejection_message([](auto& c, auto&) { c.encoder.num_classes = 3; }),
              HasSubstr("num_classes is 3; expected vocab_size, 5 (C1)"));
}

TEST(LanguageTraining, C2_RejectsTooFewAndTooManyBatches) {
  EXPECT_THAT(rejection_message([](auto&, auto& b) { b.clear(); }), HasSubstr("batches has 0"));
  EXPECT_THAT(rejection_message([](auto&, auto& b) { b.resize(3, sample_text()); }),
              HasSubstr("1 to accumulation, which is 2 (C2)"));
}

TEST(LanguageTraining, C3_RejectsMissingTargets) {
  EXPECT_THAT(rejection_message([](auto&, auto& b) { b[0].targets.pop_back(); }),
              HasSubstr("targets has 5 for 6 positions; expected one a position (C3)"));
}

}  // namespace
}  // namespace normproof::ref::train
