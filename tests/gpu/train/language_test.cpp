#include "gpu/train/language.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "ref/train/language.hpp"
#include "tests/gpu/device/refusal.hpp"
#include "tests/gpu/train/samples.hpp"
#include "tests/verification/checks/compare/expect.hpp"
#include "verification/checks/determinism/training_settings.hpp"

namespace normproof::gpu::train {
namespace {

namespace determinism = verification::checks::determinism;
using ref::model::NormPlacement;
using ref::model::TrainConfig;

/// Returns a batch in which the target of each token is the next token of its sentence. The last
/// token of a sentence has no target.
ref::train::TextBatch make_next_token_batch(ref::encoder::EncoderInputs inputs) {
  ref::train::TextBatch batch{std::move(inputs), {}};
  const auto& [tokens, valid] = batch.inputs;
  for (std::size_t i = 0; i < tokens.ids.size(); ++i) {
    const bool follows = (i + 1) % tokens.seq_len != 0 && valid.data()[i + 1];
    batch.targets.push_back(follows ? tokens.ids[i + 1] : ref::train::kIgnored);
  }
  return batch;
}

std::vector<TextBatch> upload_texts(Device& device,
                                    const std::vector<ref::train::TextBatch>& batches) {
  std::vector<TextBatch> there;
  there.reserve(batches.size());
  for (const auto& batch : batches)
    there.push_back({upload_inputs(device, batch.inputs), batch.targets});
  return there;
}

TrainConfig language_config(const std::string& norm, bool tied,
                            NormPlacement placement = NormPlacement::pre) {
  TrainConfig config = determinism::training_config(norm, placement);
  config.encoder.causal = true;
  config.encoder.pooling = ref::model::Pooling::per_position;
  config.encoder.num_classes = config.encoder.vocab_size;
  config.encoder.tied_head = tied;
  return config;
}

void expect_same_trajectory(Device& device, const std::string& probe, const TrainConfig& config,
                            std::size_t steps) {
  determinism::Inputs inputs(probe);
  const determinism::TrajectoryExtents e;
  const auto next_batches = [&] {
    std::vector<ref::train::TextBatch> batches;
    for (std::int64_t i = 0; i < config.accumulation; ++i)
      batches.push_back(
          make_next_token_batch(determinism::random_batch(inputs, e.batch_size, e.seq_len).inputs));
    return batches;
  };
  auto expected = ref::train::initial_train_state(config);
  TrainState state = upload_state(device, expected);
  for (std::size_t step = 0; step < steps; ++step) {
    const auto batches = next_batches();
    const auto by_ref = ref::train::language_step<double>(config, batches, expected);
    const StepResult got = language_step(config, upload_texts(device, batches), state);
    ASSERT_EQ(got.loss, by_ref.loss) << probe << ' ' << step;
    ASSERT_EQ(got.gradient_norms.whole, by_ref.gradient_norms.whole) << probe << ' ' << step;
    EXPECT_EQ(got.gradient_norms.per_tensor, by_ref.gradient_norms.per_tensor);
    EXPECT_EQ(got.learning_rate, by_ref.learning_rate);
  }
  EXPECT_EQ(host_state_sha256(state), ref::train::state_sha256(expected)) << probe;
  const auto last = next_batches();
  EXPECT_BITS_EQ(language_loss(config, upload_texts(device, last), state),
                 ref::train::language_loss<double>(config, last, expected));
}

TEST(DeviceLanguageTraining, MatchesReferenceTrajectory) {
  const auto device = device::simulated_device(6);
  for (const std::string& norm : std::vector<std::string>{"layer_norm", "batch_norm", "power_norm"})
    expect_same_trajectory(*device, "training/" + norm + "_causal", language_config(norm, true),
                           determinism::TrajectoryExtents().steps);
}

TEST(DeviceLanguageTraining, MatchesReferenceWithSeveralBatchesPerStep) {
  for (const auto& device : make_simulated_devices())
    for (const bool tied : {true, false})
      for (const char* norm : {"power_norm", "dyt"}) {
        TrainConfig config = language_config(norm, tied, NormPlacement::post);
        config.accumulation = 2;
        config.loss.label_smoothing = 0.0625;
        config.max_gradient_norm = 0.5;
        expect_same_trajectory(*device, "language", config, 2);
      }
}

TEST(DeviceLanguageTraining, ErrorMessagesMatchTheReference) {
  const auto device = device::simulated_device();
  determinism::Inputs inputs("refused");
  const TrainConfig fine = language_config("layer_norm", true);
  const std::vector<ref::train::TextBatch> batches = {
      make_next_token_batch(determinism::random_batch(inputs, 2, 3).inputs)};
  const auto expect_refused = [&](const TrainConfig& config,
                                  const std::vector<ref::train::TextBatch>& given,
                                  double weight_value = 0) {
    auto expected = ref::train::initial_train_state(fine);
    if (weight_value != 0) expected.parameters.at("embedding.weight").data()[8] = weight_value;
    TrainState state = upload_state(*device, expected);
    const std::string before = host_state_sha256(state);
    const std::string sentence =
        refusal_message([&] { ref::train::language_step<double>(config, given, expected); });
    EXPECT_NE(sentence, kNoError);
    EXPECT_EQ(refusal_message([&] { language_step(config, upload_texts(*device, given), state); }),
              sentence);
    EXPECT_EQ(host_state_sha256(state), before);
  };
  const auto changed = [&](auto change) {
    TrainConfig config = fine;
    change(config.encoder);
    return config;
  };
  expect_refused(changed([](auto& e) { e.causal = false; }), batches);
  expect_refused(changed([](auto& e) { e.pooling = ref::model::Pooling::masked_mean; }), batches);
  expect_refused(changed([](auto& e) { e.num_classes = 3; }), batches);
  expect_refused(fine, {});
  expect_refused(fine, {batches[0], batches[0]});
  auto wrong = batches;
  wrong[0].targets.pop_back();
  expect_refused(fine, wrong);
  wrong[0].targets.assign(6, ref::train::kIgnored);
  expect_refused(fine, wrong);
  wrong[0].targets.assign(6, 24);
  expect_refused(fine, wrong);
  // The infinity is found only when the recorded step runs.
  wrong = batches;
  wrong[0].inputs.tokens.ids[0] = 1;
  expect_refused(fine, wrong, std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace normproof::gpu::train
