#include "verification/cli/report_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "tests/verification/cli/parsed.hpp"

namespace normproof::tests::verification::cli {
namespace {

using tool::ReportOptions;

struct ReportingCommand {
  static constexpr const char* name = "reporting";
  static constexpr const char* summary = "Every form";

  ReportOptions reports = {};
  void add(CLI::App& app) { reports.add(app); }
};

TEST(ReportOptions, HoldTheNameOfEachReportFile) {
  const ReportOptions reports =
      parse_command<ReportingCommand>(
          {"--json", "j", "--junit", "x", "--sarif", "s", "--html", "h", "--markdown", "m"})
          .reports;
  EXPECT_EQ(reports.file("--json"), "j");
  EXPECT_EQ(reports.file("--markdown"), "m");
  EXPECT_FALSE(reports.json_on_stdout);
  EXPECT_THROW(reports.file("--docx"), std::out_of_range);
  std::string all;
  for (const tool::NamedFile& file : reports.named())
    all += std::string(file.option) + " " + file.path->string() + " ";
  EXPECT_EQ(all, "--json j --junit x --sarif s --html h --markdown m ");
}

TEST(ReportOptions, AreAbsentUnlessGiven) {
  for (const tool::NamedFile& file : parse_command<ReportingCommand>({}).reports.named())
    EXPECT_FALSE(file.path) << file.option;
}

TEST(ReportOptions, JsonMayBeAFlagForStandardOutput) {
  CLI::App app;
  ReportOptions reports;
  reports.add_with_json_flag(app);
  app.parse("--json --junit x", false);
  EXPECT_TRUE(reports.json_on_stdout);
  EXPECT_FALSE(reports.file("--json"));
  EXPECT_EQ(reports.file("--junit"), "x");
}

}  // namespace
}  // namespace normproof::tests::verification::cli
