#include "verification/cli/training_source_options.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/ref/numeric/error_message.hpp"

namespace normproof::verification::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TrainingSource parsed(std::vector<std::string> arguments) {
  CLI::App app;
  TrainingSourceTexts texts;
  add_training_source(app, texts);
  std::ranges::reverse(arguments);
  app.parse(arguments);
  return training_source_of(app, texts);
}

TEST(TrainingSourceOptions, AreTakenInTheirOrder) {
  const TrainingSource source =
      parsed({"--config", "c", "--set", "norm.name=none", "--set", "a.b=c=d", "--seed", "9",
              "--data", "d", "--vocab", "v", "--validation", "n"});
  EXPECT_EQ(source.config, "c");
  EXPECT_THAT(source.settings, ElementsAre(Pair("norm.name", "none"), Pair("a.b", "c=d"),
                                           Pair("training.seed", "9")));
  EXPECT_EQ(source.files.data, "d");
  EXPECT_EQ(source.files.vocab, "v");
  EXPECT_EQ(source.validation, "n");
}

TEST(TrainingSourceOptions, ASettingHasAKeyAndAValue) {
  for (const char* wrong : {"norm.name", "=none"})
    EXPECT_EQ(
        ref::numeric::error_message<ref::numeric::UsageError>([&] {
          parsed({"--set", wrong});
        }),
        fmt::format("--set is '{}'; expected KEY=VALUE, such as norm.name=power_norm", wrong));
}

}  // namespace
}  // namespace normproof::verification::cli
