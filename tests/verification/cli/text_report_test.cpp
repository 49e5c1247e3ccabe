#include "verification/cli/text_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/verification/cli/sample_report.hpp"
#include "verification/cli/text.hpp"

namespace normproof::tests::verification::cli {
namespace {

using namespace normproof::verification::cli;
using normproof::verification::statistics::Stability;
using testing::HasSubstr;
using testing::Not;

TEST(TextReport, ClaimsAreRowsWithTheirEvidence) {
  const std::string table = claims_table(sample_report(), 100);
  EXPECT_THAT(table,
              HasSubstr("A1     holds                 1,000  0.25      ψ² ≥ σ² where x < y"));
  EXPECT_THAT(table, HasSubstr("B12    refuted, as expected  1,200  inf       γ/ψ <= 1\n"));
  EXPECT_THAT(table, HasSubstr("       dropped: γ <= ψ\n       counterexample: x = (1, <2>)\n"));
  EXPECT_THAT(table, HasSubstr("(seed 7)"));
}

TEST(TextReport, WhatIsUnexpectedIsShownWhole) {
  const std::string table = claims_table(failing_report(), 80);
  EXPECT_THAT(table, HasSubstr("UNEXPECTED: refuted"));
  EXPECT_THAT(table, HasSubstr("has to be cut or\n       broken in any terminal"));
  EXPECT_THAT(table, HasSubstr("counterexample: x = (3)\n       and a detail\n"));
  EXPECT_THAT(table, HasSubstr("its check threw: \"no\""));
}

TEST(TextReport, LinesFitTheWidth) {
  for (const auto& report : {sample_report(), failing_report()}) {
    for (const std::size_t width : {80u, 100u, 150u}) {
      std::istringstream lines(text_report(report, width));
      for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(display_width(line), width) << line;
        EXPECT_FALSE(line.ends_with(' ')) << line;
      }
    }
  }
  // A narrower terminal is treated as one of 80 columns.
  EXPECT_EQ(text_report(sample_report(), 10), text_report(sample_report(), 80));
}

TEST(TextReport, StatisticsSayWhatIsUnstable) {
  Report report = sample_report();
  std::string text = statistics_text(report, 100);
  EXPECT_THAT(text, HasSubstr("a<b>.txt"));
  EXPECT_THAT(text, HasSubstr("9 sentences"));
  EXPECT_THAT(text, HasSubstr("stable"));
  EXPECT_THAT(text, HasSubstr("the same bits whatever"));
  EXPECT_THAT(text, Not(HasSubstr("ERROR")));
  EXPECT_THAT(text, Not(HasSubstr("WARNING")));
  for (auto& followed : report.statistics.followed) {
    if (!followed.is_power_norm) continue;
    const bool decides = followed.scenario.decides;
    followed.stability = {.stability = Stability::error, .first_above_one = 3, .first_error = 4};
    EXPECT_THAT(statistics_text(report, 100),
                HasSubstr(decides ? "ERROR from step 4" : "diverges from step 4"));
    followed.stability.stability = Stability::warning;
    EXPECT_THAT(statistics_text(report, 100), HasSubstr("WARNING from step 3"));
    followed.stability = {};
  }
  report.statistics.padding_is_inert = false;
  EXPECT_THAT(statistics_text(report, 100), HasSubstr("ERROR: with the mask"));
}

TEST(TextReport, EndsWithTheClosingLine) {
  const std::string text = text_report(failing_report(), 100);
  EXPECT_TRUE(text.ends_with(closing_line(failing_report()) + "\n"));
}

}  // namespace
}  // namespace normproof::tests::verification::cli
