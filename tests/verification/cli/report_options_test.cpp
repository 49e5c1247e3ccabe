#include "verification/cli/report_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "tests/verification/cli/parsed.hpp"

namespace normproof::tests::verification::cli {
namespace {

using tool::ReportForm;
using tool::ReportOptions;

struct ReportingCommand {
  static constexpr const char* name = "reporting";
  static constexpr const char* summary = "Every form";

  ReportOptions reports = {};
  void add(CLI::App& app) {
    reports.add(app, {ReportForm::json, ReportForm::junit, ReportForm::sarif, ReportForm::html,
                      ReportForm::markdown});
  }
};

TEST(ReportOptions, NameTheirFiles) {
  const ReportOptions reports = parsed<ReportingCommand>({"--json", "j", "--junit", "x", "--sarif",
                                                          "s", "--html", "h", "--markdown", "m"})
                                    .reports;
  EXPECT_EQ(reports.json, "j");
  EXPECT_EQ(reports.junit, "x");
  EXPECT_EQ(reports.sarif, "s");
  EXPECT_EQ(reports.html, "h");
  EXPECT_EQ(reports.markdown, "m");
  std::string all;
  for (const tool::NamedFile& file : reports.named())
    all += std::string(file.option) + " " + file.path->string() + " ";
  EXPECT_EQ(all, "--json j --junit x --sarif s --html h --markdown m ");
}

TEST(ReportOptions, AreAbsentUnlessGiven) {
  for (const tool::NamedFile& file : parsed<ReportingCommand>({}).reports.named())
    EXPECT_FALSE(file.path) << file.option;
}

TEST(ReportOptions, RejectsAFormThatTheCommandDoesNotSupport) {
  CLI::App app;
  ReportOptions reports;
  reports.add(app, {ReportForm::json_lines});
  EXPECT_THROW(app.parse("--junit x", false), CLI::ExtrasError);
  app.parse("--json j", false);
  EXPECT_EQ(reports.json, "j");
}

}  // namespace
}  // namespace normproof::tests::verification::cli
