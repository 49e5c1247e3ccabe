#include "verification/cli/commands/training_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/io/atomic_file.hpp"
#include "tests/ref/io/temporary_folder.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::verification::cli::commands {
namespace {

using ::testing::HasSubstr;

TEST(TrainingSource, SettingsComeAfterTheFile) {
  const tests::ref::io::TemporaryFolder folder;
  ref::io::write_file(folder / "c.json",
                      R"({"training": {"epochs": 3, "seed": 5}, "norm": {"name": "rms_norm"}})");
  const auto config =
      load_config({.config = folder / "c.json", .settings = {{"training.epochs", "4"}}});
  EXPECT_EQ(config.epochs, 4u);
  EXPECT_EQ(config.train.seed, 5u);
  EXPECT_EQ(ref::model::norm_name(config.train.encoder.norm), "rms_norm");
}

TEST(TrainingSource, TheConfigurationLearnsTheVocabulary) {
  const tests::ref::io::TemporaryFolder folder;
  training::RunConfig config;
  const TrainingData loaded = load_training_data({}, config);
  EXPECT_EQ(loaded.corpus, "synthetic corpus");
  EXPECT_EQ(config.train.encoder.vocab_size, loaded.data.vocab_size);
  EXPECT_GT(loaded.data.vocab_size, 0u);
  ref::io::write_file(folder / "v", "3\n1\n");
  const TrainingData two = load_training_data({.validation = folder / "v"}, config);
  EXPECT_EQ(two.data.validation.sequences.size(), 2u);
  EXPECT_EQ(two.data.training.sequences.size() + 2,
            loaded.data.training.sequences.size() + loaded.data.validation.sequences.size());
  ref::io::write_file(folder / "v", "99999\n");
  EXPECT_THAT(ref::numeric::error_message<ref::numeric::FileError>(
                  [&] { load_training_data({.validation = folder / "v"}, config); }),
              HasSubstr("expected the number of a sentence"));
}

}  // namespace
}  // namespace normproof::verification::cli::commands
