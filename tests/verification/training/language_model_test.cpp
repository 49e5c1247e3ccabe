#include "verification/training/language_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/io/atomic_file.hpp"
#include "tests/ref/io/temporary_folder.hpp"
#include "tests/verification/training/samples.hpp"
#include "tests/verification/training/small_language.hpp"
#include "verification/training/run.hpp"

namespace normproof::verification::training {
namespace {

using ::testing::HasSubstr;

TEST(LanguageModel, IsWhatTheRunLeft) {
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
  EXPECT_THAT(file_message([&] { read_language_model(folder / "a"); }),
              HasSubstr("run_sha256 is not that of config.json and data.json"));
}

TEST(LanguageModel, ARunWithClassesIsNone) {
  const tests::ref::io::TemporaryFolder folder;
  run(small_run_config(), small_dataset(), {.out = folder / "a"});
  EXPECT_THAT(usage_message([&] { read_language_model(folder / "a"); }),
              HasSubstr("has the task classify; expected one that 'normproof train --task"));
  EXPECT_THAT(file_message([&] { read_language_model(folder / "b"); }), HasSubstr("config.json"));
}

}  // namespace
}  // namespace normproof::verification::training
