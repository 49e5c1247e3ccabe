#include "verification/cli/curves.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace normproof::tests::verification::cli {
namespace {

using namespace normproof::verification::cli;

TEST(Curves, PointsStandInTheScript) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(plot({{"none", "with lines", {}}, {"it's", "with lines", {{1, 0.5}, {2, nan}}}}),
            "$curve1 << EOD\n1 0.5\n2 NaN\nEOD\nplot $curve1 using 1:2 with lines title 'it''s'\n");
  EXPECT_EQ(plot({}), "");
}

TEST(Curves, ColoursComeAgainAfterEight) {
  EXPECT_EQ(line(1, false), line(9, false));
  EXPECT_NE(line(1, false), line(2, false));
  EXPECT_EQ(line(1, true), line(1, false) + " dashtype (6,4)");
}

TEST(Curves, TextStaysInItsQuotes) {
  EXPECT_EQ(gnuplot_text("a'b\nc"), "'a''b c'");
  EXPECT_NE(common("t").find("set title 't'"), std::string::npos);
}

}  // namespace
}  // namespace normproof::tests::verification::cli
