#include "verification/cli/golden/golden_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>

#include "tests/ref/io/temporary_folder.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::tests::verification::cli::golden {
namespace {

namespace tool = normproof::verification::cli;
using testing::HasSubstr;

TEST(GoldenOptions, SetTheFieldsOfTheCommand) {
  CLI::App app;
  std::filesystem::path golden;
  normproof::verification::golden::corpus::PathGlobs only;
  std::optional<std::filesystem::path> candidate;
  std::optional<std::string> pipe;
  double timeout = 60;
  tool::golden::add_golden_option(app, golden);
  tool::golden::add_only_option(app, only);
  tool::golden::add_candidate(app, candidate);
  tool::golden::add_pipe_option(app, pipe, timeout);
  app.parse("--golden g --only q/* --candidate c --only r --pipe p --timeout 86400", false);
  EXPECT_EQ(golden, "g");
  EXPECT_THAT(only.globs, ::testing::ElementsAre("q/*", "r"));
  EXPECT_EQ(candidate, "c");
  EXPECT_EQ(pipe, "p");
  EXPECT_EQ(timeout, 86400);
  EXPECT_THAT(normproof::ref::numeric::error_message<normproof::ref::numeric::UsageError>(
                  [&] { app.parse("--golden g --timeout 86401", false); }),
              HasSubstr("expected a whole number from 1 to 86400"));
}

TEST(GoldenOptions, CorpusMayBeInASubfolderNamedData) {
  const normproof::tests::ref::io::TemporaryFolder folder;
  CLI::App app;
  std::filesystem::path golden;
  tool::golden::add_golden_option(app, golden);
  const auto found = [&] {
    app.parse("--golden " + folder.path().string(), false);
    return golden;
  };
  EXPECT_EQ(found(), folder.path());
  std::filesystem::create_directory(folder / "data");
  std::ofstream(folder / "data/manifest.json") << "{}";
  EXPECT_EQ(found(), folder / "data");
  std::ofstream(folder / "manifest.json") << "{}";
  EXPECT_EQ(found(), folder.path());
  EXPECT_THROW(app.parse(std::vector<std::string>{"", "--golden"}),
               normproof::ref::numeric::UsageError);
}

TEST(GoldenOptions, OptionPipeIsRequiredIfThereIsNoOtherCandidate) {
  CLI::App app;
  std::filesystem::path out;
  std::string pipe;
  double timeout = 60;
  tool::golden::add_pipe_option(app, pipe, timeout);
  tool::golden::add_new_folder_option(app, out);
  EXPECT_THROW(app.parse("--out o", false), CLI::RequiredError);
  EXPECT_THROW(app.parse("--pipe p", false), CLI::RequiredError);
  app.parse("--pipe p --out o", false);
  EXPECT_EQ(pipe, "p");
}

}  // namespace
}  // namespace normproof::tests::verification::cli::golden
