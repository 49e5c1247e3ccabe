#include "gpu/train/translation.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/gpu/device/refusal.hpp"
#include "tests/gpu/train/samples.hpp"
#include "tests/verification/checks/compare/expect.hpp"
#include "verification/checks/determinism/training_settings.hpp"

namespace normproof::gpu::train {
namespace {

namespace determinism = verification::checks::determinism;
using device::Device;
using RefConfig = ref::train::TranslationConfig;
using RefPairs = std::vector<ref::train::PairBatch>;

std::vector<PairBatch> on_device(Device& device, const RefPairs& batches) {
  std::vector<PairBatch> there;
  there.reserve(batches.size());
  for (const auto& batch : batches)
    there.push_back({{train::upload_inputs(device, batch.inputs.source),
                      train::upload_inputs(device, batch.inputs.target)},
                     batch.targets});
  return there;
}

void expect_same_trajectory(Device& device, const std::string& probe, const RefConfig& config,
                            std::size_t steps) {
  determinism::Inputs inputs(probe);
  const TranslationConfig there{config.model, config.training};
  auto expected = ref::train::initial_translation_state(config);
  TrainState state = train::upload_state(device, expected);
  for (std::size_t step = 0; step < steps; ++step) {
    RefPairs batches;
    for (std::int64_t i = 0; i < config.training.accumulation; ++i)
      batches.push_back(determinism::random_pairs(inputs));
    const auto by_ref = ref::train::translation_step<double>(config, batches, expected);
    const auto got = translation_step(there, on_device(device, batches), state);
    ASSERT_EQ(got.loss, by_ref.loss) << probe << ' ' << step;
    ASSERT_EQ(got.gradient_norms.whole, by_ref.gradient_norms.whole) << probe << ' ' << step;
    EXPECT_EQ(got.gradient_norms.per_tensor, by_ref.gradient_norms.per_tensor);
    EXPECT_EQ(got.learning_rate, by_ref.learning_rate);
    EXPECT_TRUE(got.predictions.empty());
  }
  EXPECT_EQ(train::host_state_sha256(state), ref::train::state_sha256(expected)) << probe;
  EXPECT_EQ(state.step, expected.step);
  const RefPairs last = {determinism::random_pairs(inputs), determinism::random_pairs(inputs)};
  EXPECT_BITS_EQ(translation_loss(there, on_device(device, last), state),
                 ref::train::translation_loss<double>(config, last, expected));
}

TEST(DeviceTranslation, MatchesReferenceTrajectory) {
  const auto device = device::simulated_device(6);
  const auto probes = determinism::translation_probes();
  ASSERT_EQ(probes.size(), 3u);
  for (const auto& [name, config] : probes)
    expect_same_trajectory(*device, name, config, determinism::TrajectoryExtents().steps);
}

TEST(DeviceTranslation, MatchesReferenceWithSeveralBatchesInEveryThreadOrder) {
  using ref::model::NormPlacement;
  for (const auto& device : make_simulated_devices())
    for (const auto placement : {NormPlacement::post, NormPlacement::pre}) {
      const bool post = placement == NormPlacement::post;
      const char* const norm = post ? "power_norm" : "power_norm_released";
      RefConfig config = determinism::translation_config(
          norm, post ? "power_norm_released" : "power_norm", placement);
      config.model.tied_head = post;
      config.training.accumulation = 2;
      expect_same_trajectory(*device, "several batches", config, 2);
    }
}

TEST(DeviceTranslation, ErrorMessagesMatchTheReference) {
  const auto device = device::simulated_device();
  determinism::Inputs inputs("refused");
  const RefConfig config = determinism::translation_probes()[1].config;
  const TranslationConfig there{config.model, config.training};
  const RefPairs fine = {determinism::random_pairs(inputs)};
  const auto expect_refused = [&](const RefPairs& batches, double weight_value = 0) {
    auto expected = ref::train::initial_translation_state(config);
    if (weight_value != 0)
      for (double& v : expected.parameters.at("encoder.embedding.weight")) v = weight_value;
    TrainState state = train::upload_state(*device, expected);
    const std::string before = train::host_state_sha256(state);
    const std::string sentence =
        refusal_message([&] { ref::train::translation_step<double>(config, batches, expected); });
    EXPECT_NE(sentence, kNoError);
    EXPECT_EQ(refusal_message([&] { translation_step(there, on_device(*device, batches), state); }),
              sentence);
    EXPECT_EQ(train::host_state_sha256(state), before);
    EXPECT_EQ(state.step, 0);
  };
  expect_refused({});
  expect_refused({fine[0], fine[0]});
  RefPairs wrong = fine;
  wrong[0].targets.pop_back();
  expect_refused(wrong);
  wrong[0].targets.assign(fine[0].targets.size(), ref::train::kIgnored);
  expect_refused(wrong);
  wrong[0].targets.assign(fine[0].targets.size(), 20);
  expect_refused(wrong);
  // The infinity is found only when the recorded step runs.
  expect_refused(fine, std::numeric_limits<double>::infinity());
  auto state = ref::train::initial_translation_state(config);
  const TrainState state_there = train::upload_state(*device, state);
  EXPECT_EQ(refusal_message([&] { translation_loss(there, {}, state_there); }),
            refusal_message([&] { ref::train::translation_loss<double>(config, {}, state); }));
}

}  // namespace
}  // namespace normproof::gpu::train
