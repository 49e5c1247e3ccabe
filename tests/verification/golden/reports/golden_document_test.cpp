#include "verification/golden/reports/golden_document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/golden/reports/golden_results.hpp"

namespace normproof::tests::verification::golden::reports {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(GoldenDocument, FailuresThatOneRoundingOfTheInputsExplainsAreLast) {
  std::vector<corpora::gate::CaseResult> results = {golden_result("q/0", 1),
                                                    golden_result("q/1", 1)};
  const double ratio = results[0].tensors[0].ratio;
  results[0].tensors[0].input_sensitivity = 2 * ratio;
  results[1].tensors[0].input_sensitivity = ratio / 2;
  const auto report = golden_report(results, golden_check_command(), "");
  EXPECT_TRUE(judged::is_within_input_rounding(report.cases[0]));
  EXPECT_FALSE(judged::is_within_input_rounding(report.cases[1]));
  const std::string text = text_of(report);
  EXPECT_LT(text.find("FAILED q/1"), text.find("FAILED q/0"));
  EXPECT_NE(text.find("FAILED q/0"), std::string::npos);
}

TEST(GoldenDocument, RepeatedSentencesAreListedOnce) {
  std::vector<corpora::gate::CaseResult> results;
  results.reserve(7);
  for (int i = 0; i < 6; ++i)
    results.push_back(golden_result_with_problem("q/" + std::to_string(i)));
  results.push_back(golden_result("q/6", 1));
  const std::string text = text_of(golden_report(results, golden_check_command(), ""));
  EXPECT_THAT(text, AllOf(HasSubstr("FAILED q/0\n"), HasSubstr("FAILED q/6\n"),
                          Not(HasSubstr("FAILED q/1\n"))));
  EXPECT_THAT(text,
              HasSubstr("FAILED q/1, q/2, q/3 and 2 more cases, in the same way: the candidate "
                        "ended with status 7"));
}

TEST(GoldenDocument, ShowsNoNumbersForOutputsThatWereNotCompared) {
  auto absent = golden_result("q/a", 0);
  absent.tensors[0] = {};
  absent.tensors[0].name = "y";
  absent.tensors[0].problem = "is absent";
  const auto text = render_markdown(golden_report({absent}, golden_check_command(), ""));
  EXPECT_THAT(text, HasSubstr("| y | 1 | 1 | - | - | - | - | - | 0 |"));
}

TEST(GoldenDocument, TheSecondLineOfAFailureSaysWhatTheCaseAsks) {
  const auto report = golden_report({golden_result("q/a", 2)}, golden_check_command(), "");
  EXPECT_THAT(text_of(report), HasSubstr("q/a\n  this case asks: what <it> is for\n  y at "));
}

TEST(GoldenDocument, TextEndsWithTheFailuresAndTheSummary) {
  const auto report = golden_sample_report();
  const std::string text = text_of(report);
  EXPECT_THAT(
      text,
      AllOf(StartsWith("layer "),
            EndsWith("\n\nlayer_norm: 1 of 6 cases declined: the candidate does not offer "
                     "it, q/f_declined\n" +
                     report.summary() + "\n"),
            HasSubstr(
                "\nFAILED q/b_fails\n  this case asks: what <it> is for\n  y at [0, 3]: got nan, "),
            HasSubstr("\n  grad_x is absent\n  repro: normproof golden check --golden g "
                      "--candidate c --only q/b_fails\n"),
            HasSubstr("\n  the candidate ended with status 7 before it answered\n"),
            HasSubstr("\nPASSED, though it is listed as failing q/e_mended\n"),
            Not(HasSubstr("q/a_passes")), Not(HasSubstr("q/d_known")),
            Not(HasSubstr("FAILED q/f_declined"))));
  // The table has one row per layer, dtype and output. The row shows the worst of its four cases.
  EXPECT_THAT(text, HasSubstr("\nlayer_norm  float32  y           4       2    inf "));
}

TEST(GoldenDocument, MarkdownHoldsTheSameReportWithEscapedMarkup) {
  const auto report = golden_sample_report();
  const std::string text = render_markdown(report);
  EXPECT_THAT(text,
              AllOf(StartsWith("### normproof: " + report.summary() + "\n\n| layer |"),
                    HasSubstr("\n|---|---|---|---:|"),
                    HasSubstr("\n| layer_norm | float32 | y | 4 | 2 | inf |"),
                    HasSubstr("**FAILED** `q/b_fails`\n\n- this case asks: what &lt;it> is for\n"),
                    HasSubstr("\n- grad_x is absent\n"),
                    HasSubstr("\n```\nnormproof golden check --golden g --candidate c --only "
                              "q/c_crashes\n```\n"),
                    EndsWith("\nlayer_norm: 1 of 6 cases declined: the candidate does not offer "
                             "it, q/f_declined\n"),
                    Not(HasSubstr("q/a_passes"))));
}

}  // namespace
}  // namespace normproof::tests::verification::golden::reports
