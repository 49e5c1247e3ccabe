#include "verification/cli/train/training_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/data/synthetic_pairs.hpp"
#include "ref/io/atomic_file.hpp"
#include "tests/ref/io/temporary_folder.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::verification::cli::train {
namespace {

using ::testing::HasSubstr;

TEST(TrainingSource, SettingsOverrideTheFile) {
  const tests::ref::io::TemporaryFolder folder;
  ref::io::write_file(folder / "c.json",
                      R"({"training": {"epochs": 3, "seed": 5}, "norm": {"name": "rms_norm"}})");
  const auto config =
      load_config({.config = folder / "c.json", .settings = {{"training.epochs", "4"}}});
  EXPECT_EQ(config.epochs, 4u);
  EXPECT_EQ(config.train.seed, 5u);
  EXPECT_EQ(ref::model::norm_name(config.train.encoder.norm), "rms_norm");
}

TEST(TrainingSource, ConfigurationGetsTheVocabularySize) {
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

TEST(TrainingSource, LanguageModelRequiresAText) {
  const tests::ref::io::TemporaryFolder folder;
  const auto make_run_config = [&](const char* file, std::optional<training::Task> task) {
    ref::io::write_file(folder / "c.json", file);
    return load_config({.config = folder / "c.json", .task = task});
  };
  training::RunConfig config = make_run_config(R"({"training": {"task": "language"}})", {});
  EXPECT_EQ(config.task, training::Task::language);
  EXPECT_EQ(make_run_config("{}", training::Task::language).task, training::Task::language);
  EXPECT_THAT(ref::numeric::error_message<ref::numeric::UsageError>([&] {
                make_run_config(R"({"training": {"task": "language"}})", training::Task::classify);
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

TEST(TrainingSource, TranslatorRequiresSentencePairs) {
  training::RunConfig config = training::default_config(training::Task::translate);
  const PairSource loaded = load_pair_data({}, config);
  EXPECT_EQ(loaded.name, "synthetic pairs");
  EXPECT_EQ(loaded.data.text, ref::data::synthetic_pair_corpus(42));
  const auto refused = [&](const TrainingSource& source) {
    return ref::numeric::error_message<ref::numeric::UsageError>(
        [&] { load_pair_data(source, config); });
  };
  EXPECT_THAT(refused({.files = {.vocab = "v"}}),
              HasSubstr("--vocab is given; expected none with --task translate"));
  EXPECT_THAT(refused({.validation = "v"}), HasSubstr("--validation is given"));
  EXPECT_EQ(refused({.files = {.data = "d"}}),
            "--source is not given; expected all of --data, --source and --target, or none");
  EXPECT_THAT(refused({.files = {.data = "d"}, .languages = {.source = "ja"}}),
              HasSubstr("--target is not given"));
  EXPECT_THAT(
      ref::numeric::error_message<ref::numeric::UsageError>([] {
        training::RunConfig classes;
        load_training_data({.languages = {.target = "en"}}, classes);
      }),
      HasSubstr("--target is given; expected none but of the task translate, not classify"));
}

}  // namespace
}  // namespace normproof::verification::cli::train
