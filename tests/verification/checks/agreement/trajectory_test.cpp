#include "verification/checks/agreement/trajectory.hpp"

#include <gtest/gtest.h>

namespace normproof::verification::checks::agreement {
namespace {

TrainingRun small_training_run() {
  TrainingRun trajectory;
  trajectory.batch_size = 3;
  trajectory.seq_len = 5;
  trajectory.steps = 3;
  trajectory.config.encoder.vocab_size = 13;
  trajectory.config.encoder.d_model = 8;
  trajectory.config.encoder.num_heads = 2;
  trajectory.config.encoder.d_ff = 12;
  return trajectory;
}

TEST(TrainingAgreement, TrainedStateOnADeviceEqualsTheReferenceInTwoThreadOrders) {
  const TrainingRun trajectory = small_training_run();
  const auto ignore = [](std::int64_t, double) {};
  const std::string expected = run_training_on_ref(trajectory, ignore);
  for (const std::uint64_t seed : {0, 5}) {
    const auto device = gpu::device::simulated_device(seed);
    EXPECT_EQ(run_training_on_device(*device, trajectory, ignore), expected);
  }
}

TrainingRun small_training_run_for_task(TrainingTask task) {
  TrainingRun trajectory = small_training_run();
  trajectory.task = task;
  auto& encoder = trajectory.config.encoder;
  encoder.causal = true;
  encoder.pooling = ref::model::Pooling::per_position;
  encoder.num_classes = encoder.vocab_size;
  encoder.tied_head = true;
  const ref::model::LayersConfig side{.num_heads = 2, .d_ff = 12, .num_layers = 1};
  trajectory.translator = {.source_vocab_size = 13,
                           .target_vocab_size = 11,
                           .d_model = 8,
                           .encoder = side,
                           .decoder = side};
  return trajectory;
}

TEST(TrainingAgreement, TrainedLanguageModelAndTranslatorEqualTheReference) {
  const auto ignore = [](std::int64_t, double) {};
  const auto device = gpu::device::simulated_device(5);
  std::string last;
  for (const TrainingTask task : {TrainingTask::language, TrainingTask::translation}) {
    const TrainingRun trajectory = small_training_run_for_task(task);
    const std::string expected = run_training_on_ref(trajectory, ignore);
    EXPECT_EQ(run_training_on_device(*device, trajectory, ignore), expected) << row_name(task);
    EXPECT_NE(expected, last);
    last = expected;
  }
}

TEST(TrainingAgreement, OnlyRealTokensHaveTargets) {
  const TrainingRun trajectory = small_training_run_for_task(TrainingTask::translation);
  const auto text = draw_text_batch(trajectory, 1);
  const auto pairs = draw_pair_batch(trajectory, 1);
  EXPECT_EQ(pairs.inputs.target.tokens.seq_len, pairs.inputs.source.tokens.seq_len - 1);
  const auto expect_targets = [](const ref::encoder::EncoderInputs& inputs,
                                 const std::vector<int>& targets, int vocabulary) {
    ASSERT_EQ(targets.size(), inputs.tokens.ids.size());
    for (std::size_t i = 0; i < targets.size(); ++i) {
      EXPECT_EQ(targets[i] != ref::train::kIgnored, inputs.valid.data()[i]);
      EXPECT_LT(targets[i], vocabulary);
      EXPECT_LT(inputs.tokens.ids[i], vocabulary);
    }
  };
  expect_targets(text.inputs, text.targets, 13);
  expect_targets(pairs.inputs.target, pairs.targets, 11);
}

TEST(TrainingAgreement, EveryTaskRunsWithEverySupportedNorm) {
  for (const TrainingTask task : kTrainingTasks) {
    std::size_t runs = 0, tied = 0, scaled = 0;
    for_each_training(3, task, [&](const std::string&, const TrainingRun& trajectory) {
      ++runs;
      tied += trajectory.config.encoder.tied_head || trajectory.translator.tied_head;
      scaled +=
          trajectory.config.encoder.scaled_embedding || trajectory.translator.scaled_embedding;
      EXPECT_EQ(trajectory.task, task);
    });
    const std::size_t norms = ref::model::norm_names().size();
    EXPECT_EQ(runs, task == TrainingTask::classes    ? 4 * norms - 2
                    : task == TrainingTask::language ? 2 * (norms - 2)
                                                     : 2 * norms);
    EXPECT_EQ(tied, task == TrainingTask::classes ? 0 : runs / 2);
    EXPECT_EQ(scaled, tied);
  }
}

TEST(TrainingAgreement, SeedChangesTheTrainedState) {
  TrainingRun trajectory = small_training_run();
  const auto ignore = [](std::int64_t, double) {};
  const std::string first = run_training_on_ref(trajectory, ignore);
  ++trajectory.config.seed;
  EXPECT_NE(run_training_on_ref(trajectory, ignore), first);
}

TEST(TrainingAgreement, EverySentenceHasARealTokenAndSomeHavePadding) {
  const auto batch = draw_labelled_batch(small_training_run(), 0);
  std::size_t real = 0;
  for (std::size_t b = 0; b < 3; ++b) EXPECT_TRUE(batch.inputs.valid.data()[b * 5]);
  for (const bool v : batch.inputs.valid) real += v ? 1 : 0;
  EXPECT_LT(real, 15u);
}

}  // namespace
}  // namespace normproof::verification::checks::agreement
