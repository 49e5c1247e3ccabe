#include "verification/cli/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "tests/verification/cli/parsed.hpp"
#include "tests/verification/cli/program_run.hpp"
#include "verification/cli/options.hpp"

namespace normproof::tests::verification::cli {
namespace {

struct CountingCommand {
  static constexpr const char* name = "count";
  static constexpr const char* summary = "Counts";

  bool many = false;

  void add(CLI::App& app) { tool::add_flag(app, "--many", many, "Many"); }
  tool::Output run() const {
    return tool::printed("", many ? tool::kNumericalFailure : tool::kSuccess);
  }
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

/// A command for tests. It has a report, an input file and an input folder, and counts how often it
/// runs.
struct ReportingTestCommand {
  static constexpr const char* name = "report";
  static constexpr const char* former_name = "tell";
  static constexpr const char* summary = "Reports";

  std::optional<std::filesystem::path> in = {}, folder = {};
  tool::ReportOptions reports = {};
  std::shared_ptr<int> runs = std::make_shared<int>(0);

  void add(CLI::App& app) { reports.add(app); }
  std::vector<tool::NamedFile> inputs() const { return {{"--in", in}, {"--folder", folder}}; }
  tool::Output run() const {
    ++*runs;
    namespace report = normproof::verification::support::report;
    return {.document = report::Document{"Title", {report::Paragraph{"done"}}}};
  }
};

TEST(Command, WritesEveryRequestedReport) {
  const tests::ref::io::TemporaryFolder folder;
  const ReportingTestCommand command{
      .reports = make_report_options({{"--html", folder / "h"}, {"--junit", folder / "x"}})};
  testing::internal::CaptureStdout();
  EXPECT_EQ(tool::run_command(command), tool::kSuccess);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "done\n");
  EXPECT_THAT(read_file(folder / "h"), testing::HasSubstr("<title>Title</title>"));
  EXPECT_THAT(read_file(folder / "x"), testing::HasSubstr("tests=\"1\""));
}

TEST(Command, ReportsMayNotReplaceInputs) {
  using normproof::ref::numeric::error_message;
  using normproof::ref::numeric::UsageError;
  const tests::ref::io::TemporaryFolder folder;
  write_file(folder / "in", "x");
  std::filesystem::create_directory(folder / "corpus");
  ReportingTestCommand command{.in = folder / "in",
                               .folder = folder / "corpus",
                               .reports = make_report_options({{"--html", folder / "in"}})};
  EXPECT_THAT(error_message<UsageError>([&] { tool::run_command(command); }),
              testing::HasSubstr("--in and --html name the same file"));
  command.reports = make_report_options({{"--sarif", folder / "corpus" / "new"}});
  EXPECT_THAT(error_message<UsageError>([&] { tool::run_command(command); }),
              testing::HasSubstr("expected a file elsewhere"));
  EXPECT_EQ(*command.runs, 0);
}

TEST(Command, FormerNameRunsTheCommandAndPrintsTheNewName) {
  const tool::Command program = make_toy_group(
      "normproof", {tool::command<ReportingTestCommand>(),
                    make_toy_group("group", {tool::command<ReportingTestCommand>()})});
  for (const Arguments& arguments : {Arguments{"tell"}, Arguments{"group", "tell"}}) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    EXPECT_EQ(tool::parse_arguments(program, arguments)(), tool::kSuccess);
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "done\n");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "normproof: 'tell' is now called 'report'\n");
  }
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  EXPECT_EQ(tool::parse_arguments(program, {"report"})(), tool::kSuccess);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "done\n");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace normproof::tests::verification::cli
