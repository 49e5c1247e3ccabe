#include "verification/training/language_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/io/atomic_file.hpp"
#include "tests/ref/io/temporary_folder.hpp"
#include "tests/verification/training/samples.hpp"
#include "tests/verification/training/small_language.hpp"
#include "verification/training/checkpoint.hpp"
#include "verification/training/kept_checkpoints.hpp"
#include "verification/training/run.hpp"

namespace normproof::verification::training {
namespace {

using ::testing::HasSubstr;

TEST(LanguageModel, IsReadFromTheFolderOfARun) {
  const tests::ref::io::TemporaryFolder folder;
  const TextData text = small_text();
  const RunConfig config = small_language_config(text);
  LanguageTask task(config, text);
  const RunSummary summary = run(config, task, {.out = folder / "a"});
  const LanguageModel model = read_language_model(folder / "a");
  EXPECT_EQ(ref::train::state_sha256(model.state), summary.sha256);
  EXPECT_EQ(model.alphabet.text(), text.alphabet.text());
  EXPECT_EQ(config_json(model.config), config_json(config));
  ref::io::write_file(folder / "a/data.json", text_json(small_text()) + " ");
  EXPECT_THAT(file_error_message([&] { read_language_model(folder / "a"); }),
              HasSubstr("run_sha256 is not that of config.json and data.json"));
}

TEST(LanguageModel, CanBeTheAverageOfTheLastCheckpoints) {
  const tests::ref::io::TemporaryFolder folder;
  const TextData text = small_text();
  RunConfig config = small_language_config(text);
  config.keep_checkpoints = 2;
  LanguageTask task(config, text);
  run(config, task, {.out = folder / "a"});
  const auto parameters = [&](std::size_t average) {
    return read_language_model(folder / "a", average).state.parameters;
  };
  const auto last = parameters(1), mean = parameters(2);
  const Checkpoint first =
      read_checkpoint(kept_checkpoint_path(folder / "a", list_kept_steps(folder / "a").front()),
                      ref::train::initial_train_state(config.train));
  for (const auto& [name, values] : mean)
    for (std::size_t i = 0; i < values.size(); ++i)
      EXPECT_EQ(values.data()[i],
                (first.state.parameters.at(name).data()[i] + last.at(name).data()[i]) / 2)
          << name;
  EXPECT_THAT(file_error_message([&] { parameters(3); }),
              HasSubstr("a: keeps 2 checkpoints; expected 3 or more"));
}

TEST(LanguageModel, IsNotReadFromARunOfAnotherTask) {
  const tests::ref::io::TemporaryFolder folder;
  run(small_run_config(), small_dataset(), {.out = folder / "a"});
  EXPECT_THAT(usage_error_message([&] { read_language_model(folder / "a"); }),
              HasSubstr("has the task classify; expected one that 'normproof train --task"));
  EXPECT_THAT(file_error_message([&] { read_language_model(folder / "b"); }),
              HasSubstr("config.json"));
}

}  // namespace
}  // namespace normproof::verification::training
