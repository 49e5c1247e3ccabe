#include "verification/training/translation_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/io/atomic_file.hpp"
#include "tests/ref/io/temporary_folder.hpp"
#include "tests/verification/training/samples.hpp"
#include "tests/verification/training/small_translation.hpp"
#include "verification/training/checkpoint.hpp"
#include "verification/training/kept_checkpoints.hpp"
#include "verification/training/run.hpp"
#include "verification/training/translate_task.hpp"

namespace normproof::verification::training {
namespace {

using ::testing::HasSubstr;

TEST(TranslationModel, IsReadFromTheFolderOfARun) {
  const tests::ref::io::TemporaryFolder folder;
  RunConfig config = small_translation_config();
  config.translator.decoder.norm = ref::model::BatchNormOptions{};
  const PairData pairs = small_pairs(config);
  TranslateTask task(config, pairs);
  const RunSummary summary = run(config, task, {.out = folder / "a"});
  const TranslationModel model = read_translation_model(folder / "a");
  EXPECT_EQ(ref::train::state_sha256(model.state), summary.sha256);
  EXPECT_EQ(model.words.source.text(), pairs.words.source.text());
  EXPECT_EQ(model.words.target.text(), pairs.words.target.text());
  EXPECT_EQ(config_json(model.config), config_json(config));
  EXPECT_TRUE(model.state.norms.contains("decoder.layers.0.norm2.running_var") ||
              model.state.norms.contains("decoder.layers.0.norm2.running_mean"));
}

TEST(TranslationModel, CanBeTheAverageOfTheLastCheckpoints) {
  const tests::ref::io::TemporaryFolder folder;
  RunConfig config = small_translation_config();
  config.keep_checkpoints = 2;
  const PairData pairs = small_pairs(config);
  TranslateTask task(config, pairs);
  run(config, task, {.out = folder / "a"});
  const auto weight = [&](const ref::train::TrainState<double>& state) {
    return state.parameters.at("decoder.layers.0.cross_attention.query.weight").data()[1];
  };
  const double last = weight(read_translation_model(folder / "a").state);
  const double first = weight(
      read_checkpoint(kept_checkpoint_path(folder / "a", list_kept_steps(folder / "a").front()),
                      task.initial_state())
          .state);
  EXPECT_NE(first, last);
  EXPECT_EQ(weight(read_translation_model(folder / "a", 2).state), (first + last) / 2);
}

TEST(TranslationModel, IsNotReadFromARunOfAnotherTask) {
  const tests::ref::io::TemporaryFolder folder;
  run(small_run_config(), small_dataset(), {.out = folder / "a"});
  EXPECT_THAT(usage_error_message([&] { read_translation_model(folder / "a"); }),
              HasSubstr("has the task classify; expected one that 'normproof train --task "
                        "translate' made"));
}

}  // namespace
}  // namespace normproof::verification::training
