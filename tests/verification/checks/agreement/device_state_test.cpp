#include "verification/checks/agreement/device_state.hpp"

#include <gtest/gtest.h>

#include "tests/verification/checks/compare/expect.hpp"
#include "verification/checks/agreement/trajectory.hpp"

namespace normproof::verification::checks::agreement {
namespace {

TrainingRun one_layer_training_run() {
  TrainingRun trajectory;
  trajectory.config.encoder = {
      .vocab_size = 13, .d_model = 8, .num_heads = 2, .d_ff = 12, .num_layers = 1};
  trajectory.config.optimizer = ref::model::AdamOptions{};
  return trajectory;
}

void expect_same_inputs(const gpu::encoder::EncoderInputs& got,
                        const ref::encoder::EncoderInputs& expected) {
  EXPECT_EQ(got.tokens.ids, expected.tokens.ids);
  EXPECT_EQ(got.tokens.seq_len, expected.tokens.seq_len);
  EXPECT_EQ(got.valid.host_flags(), expected.valid);
}

TEST(DeviceState, TrainStateIsUnchangedAfterUploadAndDownload) {
  const auto device = gpu::device::simulated_device();
  const TrainingRun trajectory = one_layer_training_run();
  auto state = ref::train::initial_train_state(trajectory.config);
  const std::vector<ref::train::LabelledBatch> batches = {draw_labelled_batch(trajectory, 0)};
  ref::train::train_step<double>(trajectory.config, batches, {}, state);
  const auto back = copy_to_host(on_device(*device, state));
  EXPECT_EQ(ref::train::state_sha256(back), ref::train::state_sha256(state));
  EXPECT_EQ(back.step, 1);
  EXPECT_EQ(back.optimizer.step, 1);
}

TEST(DeviceState, UploadedBatchesKeepTokensLabelsTargetsAndMasks) {
  const auto device = gpu::device::simulated_device();
  std::vector<ref::train::LabelledBatch> batches = {
      draw_labelled_batch(one_layer_training_run(), 3)};
  batches[0].targets = {1, 2, 3};
  const auto there = on_device(*device, batches);
  ASSERT_EQ(there.size(), batches.size());
  expect_same_inputs(there[0].inputs, batches[0].inputs);
  EXPECT_EQ(there[0].labels, batches[0].labels);
  EXPECT_EQ(there[0].targets, batches[0].targets);
}

TEST(DeviceState, UploadedTextAndPairBatchesKeepInputsAndTargets) {
  const auto device = gpu::device::simulated_device();
  TrainingRun trajectory = one_layer_training_run();
  trajectory.translator.source_vocab_size = trajectory.translator.target_vocab_size = 7;
  const std::vector<ref::train::TextBatch> texts = {draw_text_batch(trajectory, 0)};
  const auto texts_there = on_device(*device, texts);
  ASSERT_EQ(texts_there.size(), 1u);
  expect_same_inputs(texts_there[0].inputs, texts[0].inputs);
  EXPECT_EQ(texts_there[0].targets, texts[0].targets);
  const std::vector<ref::train::PairBatch> pairs = {draw_pair_batch(trajectory, 0),
                                                    draw_pair_batch(trajectory, 1)};
  const auto pairs_there = on_device(*device, pairs);
  ASSERT_EQ(pairs_there.size(), 2u);
  expect_same_inputs(pairs_there[1].inputs.source, pairs[1].inputs.source);
  expect_same_inputs(pairs_there[1].inputs.target, pairs[1].inputs.target);
  EXPECT_EQ(pairs_there[1].targets, pairs[1].targets);
}

}  // namespace
}  // namespace normproof::verification::checks::agreement
