#include "verification/cli/train/training_source_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/cli/parsed.hpp"

namespace normproof::tests::verification::cli::train {
namespace {

using testing::ElementsAre;
using testing::Pair;

struct SourceCommand {
  static constexpr const char* name = "source";
  static constexpr const char* summary = "Options alone";

  tool::train::TrainingSource source = {};
  std::optional<std::filesystem::path> weights = {};

  void add(CLI::App& app) {
    tool::train::add_training_source(app, source);
    tool::train::add_languages(app, source.languages);
    tool::train::add_initial_weights(app, weights);
  }
};

TEST(TrainingSourceOptions, SettingsKeepTheirOrder) {
  const auto [source, weights] = parse_command<SourceCommand>(
      {"--config", "c", "--set", "norm.name=none", "--set", "a.b=c=d", "--seed", "9", "--data", "d",
       "--vocab", "v", "--validation", "n", "--weights", "w"});
  EXPECT_EQ(source.config, "c");
  EXPECT_THAT(source.settings, ElementsAre(Pair("norm.name", "none"), Pair("a.b", "c=d")));
  EXPECT_EQ(source.seed, 9u);
  EXPECT_EQ(source.files.data, "d");
  EXPECT_EQ(source.files.vocab, "v");
  EXPECT_EQ(source.validation, "n");
  EXPECT_EQ(weights, "w");
}

TEST(TrainingSourceOptions, LanguagesAreFileExtensions) {
  const auto languages =
      parse_command<SourceCommand>({"--source", "ja", "--target", "en"}).source.languages;
  EXPECT_EQ(languages.source, "ja");
  EXPECT_EQ(languages.target, "en");
  for (const char* wrong : {"", "../x"})
    EXPECT_THAT(refusal<SourceCommand>({"--target", wrong}),
                testing::HasSubstr("expected what files are called behind the dot, such as en"));
}

struct RunCommand {
  static constexpr const char* name = "run";
  static constexpr const char* summary = "Options alone";

  std::filesystem::path folder = {};
  std::size_t average = 1;

  void add(CLI::App& app) { tool::train::add_run(app, folder, average); }
};

TEST(TrainingSourceOptions, RunIsAFolderAndANumberOfCheckpoints) {
  const auto [folder, average] = parse_command<RunCommand>({"--run", "r", "--average", "3"});
  EXPECT_EQ(folder, "r");
  EXPECT_EQ(average, 3u);
  EXPECT_EQ(parse_command<RunCommand>({"--run", "r"}).average, 1u);
  EXPECT_THAT(refusal<RunCommand>({}), testing::HasSubstr("--run is required"));
}

TEST(TrainingSourceOptions, SettingMustHaveAKeyAndAValue) {
  for (const std::string wrong : {"norm.name", "=none"})
    EXPECT_EQ(refusal<SourceCommand>({"--set", wrong}),
              "--set is '" + wrong + "'; expected KEY=VALUE, such as norm.name=power_norm");
}

}  // namespace
}  // namespace normproof::tests::verification::cli::train
