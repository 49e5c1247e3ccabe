#include "verification/cli/command.hpp"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "verification/cli/options.hpp"

namespace normproof::tests::verification::cli {
namespace {

namespace tool = normproof::verification::cli;

struct CountingCommand {
  static constexpr const char* name = "count";
  static constexpr const char* summary = "Counts";

  bool many = false;

  void add(CLI::App& app) { tool::add_flag(app, "--many", many, "Many"); }
  tool::ExitStatus run() const { return many ? tool::kNumericalFailure : tool::kSuccess; }
};

TEST(Command, EachCommandLineGetsNewOptions) {
  const tool::Command command = tool::command<CountingCommand>();
  EXPECT_EQ(command.name, "count");
  EXPECT_EQ(command.summary, "Counts");
  CLI::App first, second;
  const tool::Run run_first = command.add(first), run_second = command.add(second);
  first.parse("--many", false);
  second.parse("", false);
  EXPECT_EQ(run_first(), tool::kNumericalFailure);
  EXPECT_EQ(run_second(), tool::kSuccess);
}

}  // namespace
}  // namespace normproof::tests::verification::cli
