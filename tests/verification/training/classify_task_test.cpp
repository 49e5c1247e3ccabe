#include "verification/training/classify_task.hpp"

#include <gtest/gtest.h>

#include "tests/verification/training/samples.hpp"

namespace normproof::verification::training {
namespace {

TEST(ClassifyTask, StepEqualsTrainStepOnTheBatchesOfTheEpoch) {
  const RunConfig config = small_run_config();
  const Dataset data = small_dataset();
  ClassifyTask task(config, data);
  EXPECT_EQ(task.steps_per_epoch(), 3u);
  EXPECT_EQ(task.data_json(""), data_json(data));
  auto state = ref::train::initial_train_state(config.train), expected = state;
  task.begin_epoch(1);
  const TaskStepResult step = task.step(2, state, {});
  const auto batches = training_batches(data, config, 1);
  const auto weights = class_weights(data, config);
  const auto result = ref::train::train_step<double>(
      config.train, select_step_batches(batches, config, 2), weights, expected);
  EXPECT_EQ(step.result.loss, result.loss);
  EXPECT_EQ(ref::train::state_sha256(state), ref::train::state_sha256(expected));
  ASSERT_EQ(step.qualities.size(), 2u);
  EXPECT_EQ(step.qualities[0].first, "accuracy");
  EXPECT_EQ(step.qualities[1].first, "macro_f1");
}

TEST(ClassifyTask, ValidatesOnTheValidationSentences) {
  const RunConfig config = small_run_config();
  const Dataset data = small_dataset();
  const ClassifyTask task(config, data);
  auto state = ref::train::initial_train_state(config.train);
  const auto found = ref::train::evaluate<double>(config.train, validation_batches(data, config),
                                                  class_weights(data, config), state);
  const TaskValidation validation = task.validate(state);
  EXPECT_EQ(validation.loss, found.loss);
  EXPECT_EQ(validation.qualities[0].second,
            classify(found.predictions, data.validation.labels, 3).accuracy);
}

}  // namespace
}  // namespace normproof::verification::training
