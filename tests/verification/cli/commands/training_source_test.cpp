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

TEST(TrainingSource, OfALanguageModelIsAText) {
  const tests::ref::io::TemporaryFolder folder;
  const auto config_of = [&](const char* file, std::optional<training::Task> task) {
    ref::io::write_file(folder / "c.json", file);
    return load_config({.config = folder / "c.json", .task = task});
  };
  training::RunConfig config = config_of(R"({"training": {"task": "language"}})", {});
  EXPECT_EQ(config.task, training::Task::language);
  EXPECT_EQ(config_of("{}", training::Task::language).task, training::Task::language);
  EXPECT_THAT(ref::numeric::error_message<ref::numeric::UsageError>([&] {
                config_of(R"({"training": {"task": "language"}})", training::Task::classify);
              }),
              HasSubstr("--task is not that of"));
  const TextSource loaded = load_text_data({}, config);
  EXPECT_EQ(loaded.name, "synthetic text");
  EXPECT_EQ(config.train.encoder.vocab_size, loaded.data.alphabet.size());
  EXPECT_EQ(config.train.encoder.num_classes, loaded.data.alphabet.size());
  EXPECT_THAT(ref::numeric::error_message<ref::numeric::UsageError>(
                  [&] { load_text_data({.files = {.vocab = "v"}}, config); }),
              HasSubstr("--vocab is given; expected none with --task language"));
  EXPECT_THAT(ref::numeric::error_message<ref::numeric::UsageError>(
                  [&] { load_training_data({}, config); }),
              HasSubstr("the configuration has the task language; expected classify"));
}

}  // namespace
}  // namespace normproof::verification::cli::commands
