#include "verification/support/report/curves.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>

namespace normproof::tests::verification::support::report {
namespace {

using namespace normproof::verification::support::report;

TEST(PlotCurves, ScriptContainsThePoints) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(plot({{"none", "with lines", {}}, {"it's", "with lines", {{1, 0.5}, {2, nan}}}}),
            "$curve1 << EOD\n1 0.5\n2 NaN\nEOD\nplot $curve1 using 1:2 with lines title 'it''s'\n");
  EXPECT_EQ(plot({}), "");
}

// An isolated point is the validation of a single epoch, or a step between two steps that are not
// finite.
TEST(PlotCurves, IsolatedPointIsDrawnAsADot) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::string script = plot({{"a", line(0, true), {{1, 0.5}}},
                                   {"b", line(1, false), {{1, 2}, {2, 3}, {3, nan}, {4, 5}}}});
  EXPECT_NE(script.find("$curve2 << EOD\n1 0.5\nEOD\n$curve3 << EOD\n4 5\nEOD\n"),
            std::string::npos)
      << script;
  EXPECT_NE(script.find("$curve2 using 1:2 with points pointtype 7 pointsize 0.6 linecolor "
                        "'#0072b2' notitle"),
            std::string::npos)
      << script;
  EXPECT_EQ(plot({{"", "with points linecolor 'x'", {{1, 1}}}}).find("$curve1"), std::string::npos);
}

TEST(PlotCurves, ColorsRepeatAfterTheLastOne) {
  std::set<std::string> lines;
  for (std::size_t i = 0; i < kMaxCurveColors; ++i) lines.insert(line(i, false));
  EXPECT_EQ(lines.size(), kMaxCurveColors);
  EXPECT_EQ(line(1, false), line(1 + kMaxCurveColors, false));
  EXPECT_EQ(line(1, true), line(1, false) + " dashtype (6,4)");
}

TEST(PlotCurves, TextIsQuotedAndEscaped) {
  EXPECT_EQ(gnuplot_text("a'b\nc"), "'a''b c'");
  EXPECT_NE(picture_preamble("t").find("set title 't'"), std::string::npos);
}

}  // namespace
}  // namespace normproof::tests::verification::support::report
