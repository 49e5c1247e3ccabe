#include "verification/cli/verify/pictures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/verification/cli/verify/sample_report.hpp"

namespace normproof::tests::verification::cli::verify {
namespace {

using namespace normproof::verification::cli;
using namespace normproof::verification::cli::verify;
using testing::HasSubstr;
using testing::Not;

TEST(VerifyPictures, AreAllDrawn) {
  for (const Report& report : {sample_report(), failing_report()}) {
    for (const Drawing& drawing : {slack_picture(report), fluctuation_picture(report),
                                   recursion_picture(report), nu_picture(report)}) {
      if (drawing.failure == "gnuplot is not installed") GTEST_SKIP() << drawing.failure;
      EXPECT_EQ(drawing.failure, "");
      EXPECT_THAT(drawing.svg, HasSubstr("<svg"));
    }
  }
}

TEST(VerifyPictures, ErrorToBoundRatioIsClampedToTheAxis) {
  Report report = sample_report();
  report.claims[0].worst = 0;
  const std::string script = slack_script(report);
  EXPECT_THAT(script, HasSubstr("'A1' 0, 'B12' 1"));
  EXPECT_THAT(script, HasSubstr("\n0 0.001\n"));  // holds, exactly
  EXPECT_THAT(script, HasSubstr("\n1 1000\n"));   // refuted, with an infinite ratio
  report.claims[0].worst = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(slack_script(report), HasSubstr("\n0 1000\n"));
}

TEST(VerifyPictures, TextsAreQuotedAndEscaped) {
  Report report = sample_report();
  report.claims[0].id = "A'1\nplot";
  EXPECT_THAT(slack_script(report), HasSubstr("'A''1 plot' 0"));
}

TEST(VerifyPictures, NuIsDrawnAsOneCurvePerPeriod) {
  const std::string script = nu_script(sample_report());
  EXPECT_THAT(script, HasSubstr("K = 10: theta tends to 1.7"));
  EXPECT_THAT(script, HasSubstr("\n2 1e+09\n"));
}

TEST(VerifyPictures, StatisticsHaveOnePointPerStep) {
  const Report report = sample_report();
  const std::string script = fluctuation_script(report);
  EXPECT_THAT(script, HasSubstr("variance, padding counted"));
  EXPECT_THAT(script, Not(HasSubstr("\n1 0\n")));  // the first step has no running value
  EXPECT_THAT(recursion_script(report), HasSubstr("released, no group scaling, large [PAD]"));
}

}  // namespace
}  // namespace normproof::tests::verification::cli::verify
