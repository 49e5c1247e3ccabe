#include "verification/cli/regress/regress_page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/cli/regress/sample_regression.hpp"
#include "verification/support/report/gnuplot.hpp"
#include "verification/support/report/html.hpp"

namespace normproof::tests::verification::cli::regress {
namespace {

using namespace normproof::verification::cli;
using namespace normproof::verification::cli::regress;
using normproof::verification::checks::regression::ErrorStatistics;
using normproof::verification::support::report::draw;
using normproof::verification::support::report::Drawing;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string regress_page(const RegressReport& report) {
  return normproof::verification::support::report::html(regress_document(report));
}

TEST(RegressPage, PageIsSelfContained) {
  const std::string page = regress_page(sample_regression());
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>"));
  for (const char* foreign : {"<script", "<link", "<img", "@import", "src="})
    EXPECT_THAT(page, Not(HasSubstr(foreign)));
  EXPECT_EQ(page, regress_page(sample_regression()));
}

TEST(RegressPage, ShowsTheChangesAndEveryRecording) {
  const std::string page = regress_page(sample_regression());
  EXPECT_THAT(page, AllOf(HasSubstr("outcome bad"), HasSubstr("<h2>&#39;it&#39;s v2&#39; to @3"),
                          HasSubstr("&lt;v1&gt;"), HasSubstr("--pipe ./k &lt;a&gt;"),
                          HasSubstr("data-label=\"the truth\">towards</td>"),
                          HasSubstr("&lt;it&gt; ended"), HasSubstr(">aaaaaaaaaaaa</td>")));
  RegressReport same = sample_regression();
  same.change.movements.clear();
  EXPECT_THAT(regress_page(same), AllOf(HasSubstr("outcome good"), HasSubstr("the same bits")));
}

TEST(RegressPage, PlotHasOneCurvePerLayerAndOneTicPerRecording) {
  const RegressReport report = sample_regression();
  const std::string script = error_script(report, "t", &ErrorStatistics::max_share);
  EXPECT_THAT(script, AllOf(HasSubstr("('<v1>' 1, 'it''s v2' 2, '@3' 3)"),
                            HasSubstr("1 0.125\n2 0.125\n3 0.125\n"), HasSubstr("1 1e+12\n"),
                            HasSubstr("title 'layer_norm'"), HasSubstr("title 'rms_norm'")));
  EXPECT_THAT(error_script(report, "t", &ErrorStatistics::mean_share), HasSubstr("1 1e-06\n"));
  const Drawing drawing = draw(script, "id", "t", 800, 400);
  if (drawing.failure == "gnuplot is not installed") GTEST_SKIP() << drawing.failure;
  EXPECT_EQ(drawing.failure, "");
  EXPECT_THAT(regress_page(report), HasSubstr("<svg"));
}

TEST(RegressPage, PlotOfALongHistoryHasFewerTics) {
  RegressReport report = sample_regression();
  report.recordings.resize(100, report.recordings[2]);
  const std::string script = error_script(report, "t", &ErrorStatistics::max_ulp);
  EXPECT_THAT(script, AllOf(HasSubstr("'@100' 100"), Not(HasSubstr("'@99' 99"))));
}

}  // namespace
}  // namespace normproof::tests::verification::cli::regress
