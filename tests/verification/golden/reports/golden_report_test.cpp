#include "verification/golden/reports/golden_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/golden/reports/golden_results.hpp"

namespace normproof::tests::verification::golden::reports {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<judged::Outcome> list_outcomes(const judged::GoldenReport& report) {
  std::vector<judged::Outcome> outcomes;
  for (const auto& checked : report.cases) outcomes.push_back(checked.outcome);
  return outcomes;
}

TEST(GoldenReport, ListOfExpectedFailuresInvertsOutcomes) {
  const auto report = golden_sample_report();
  using enum judged::Outcome;
  EXPECT_THAT(list_outcomes(report), ElementsAre(passed, failed, failed, xfail, xpass, declined));
  EXPECT_EQ(report.count(failed), 2u);
  EXPECT_FALSE(report.passed());
  EXPECT_EQ(report.judged_case_count(), 5u);
  EXPECT_EQ(report.summary(),
            "FAILED: 1 of 6 cases passed, 2 failed, 1 failed as listed, 1 passed though listed as "
            "failing, 1 declined");
}

TEST(GoldenReport, PassesIfEveryCaseMeetsItsExpectation) {
  const auto with = [](const std::string& list, std::vector<std::size_t> failures) {
    std::vector<corpora::gate::CaseResult> results;
    for (std::size_t i = 0; i < failures.size(); ++i)
      results.push_back(golden_result("q/" + std::to_string(i), failures[i]));
    return golden_report(results, golden_check_command(), list);
  };
  EXPECT_TRUE(with("", {0, 0}).passed());
  EXPECT_EQ(with("", {0, 0}).summary(), "PASSED: 2 of 2 cases passed");
  EXPECT_FALSE(with("", {0, 1}).passed());
  EXPECT_TRUE(with("q/1", {0, 1}).passed());
  EXPECT_EQ(with("q/1", {0, 1}).summary(), "PASSED: 1 of 2 cases passed, 1 failed as listed");
  std::vector<std::size_t> many_element_indices(2345, 0);
  many_element_indices.resize(3456, 1);
  EXPECT_EQ(with("", many_element_indices).summary(),
            "FAILED: 2,345 of 3,456 cases passed, 1,111 failed");
  EXPECT_FALSE(with("q/1", {0, 0}).passed());  // an unexpected pass
  EXPECT_TRUE(with("q/*", {3, 1}).passed());
}

TEST(GoldenReport, IgnoresCommentsAndSpacesInTheList) {
  const auto report =
      golden_report({golden_result("q/a", 1), golden_result("q/b", 0)}, golden_check_command(),
                    "# known\r\n\n  q/a \t # because of #12\r\n#q/b\n");
  EXPECT_THAT(list_outcomes(report), ElementsAre(judged::Outcome::xfail, judged::Outcome::passed));
}

TEST(GoldenReport, CommandForAnUnexpectedPassIncludesTheList) {
  auto command = golden_check_command();
  command.xfail = "x.txt";
  const auto report =
      golden_report({golden_result("q/a", 0), golden_result("q/b", 1)}, command, "q/a\n");
  EXPECT_THAT(report.cases[0].repro, HasSubstr(" --xfail x.txt"));
  EXPECT_THAT(report.cases[1].repro, Not(HasSubstr("--xfail")));
}

TEST(GoldenReport, NamesTheLineOfAGlobThatMatchesNothing) {
  auto command = golden_check_command();
  command.xfail = "x.txt";
  const auto message = [&] {
    return normproof::ref::numeric::error_message<normproof::ref::numeric::FileError>(
        [&] { golden_report({golden_result("q/a", 1)}, command, "q/a\n\nq/z*\n"); });
  };
  EXPECT_EQ(message(),
            "x.txt: line 3 is 'q/z*', which no case matches; expected a path of the corpus, or a "
            "glob");
  command.only = "q/a";  // the glob may match cases that were not selected
  EXPECT_EQ(message(), "no error");
}

TEST(GoldenReport, FailsIfThereAreFewerCasesThanRequired) {
  auto command = golden_check_command();
  command.min_cases = 2;
  const auto report = golden_report({golden_result("q/a", 0)}, command, "");
  EXPECT_FALSE(report.passed());
  EXPECT_EQ(report.summary(), "FAILED: 1 of 1 case passed; expected 2 cases or more");
  command.min_cases = 1;
  EXPECT_TRUE(golden_report({golden_result("q/a", 0)}, command, "").passed());
  EXPECT_FALSE(golden_report({}, command, "").passed());
}

TEST(GoldenReport, CountsUnjudgedElementsOfPassingCases) {
  auto result = golden_result("q/a", 0);
  result.tensors[0].unjudged = 4;
  const auto report = golden_report({result}, golden_check_command(), "");
  EXPECT_TRUE(report.passed());
  EXPECT_EQ(report.summary(),
            "PASSED where it is judged: 1 of 1 case passed; 4 elements not verified, because their "
            "bounds accept zeros (--strict fails)");
  EXPECT_THAT(text_of(report), HasSubstr("           4\n"));
  EXPECT_THAT(render_markdown(report), HasSubstr(" | 4 |\n"));
  auto strict = golden_check_command();
  strict.strict = true;
  const auto refused = golden_report({result}, strict, "");
  EXPECT_FALSE(refused.passed());
  EXPECT_EQ(
      refused.summary(),
      "FAILED: 1 of 1 case passed; 4 elements not verified, because their bounds accept zeros, "
      "expected none");
}

TEST(GoldenReport, CaseWithoutJudgedElementsDoesNotCount) {
  auto nothing = golden_result("q/a", 0);
  nothing.tensors[0].count = 0;
  nothing.tensors[0].unjudged = 6;
  const auto alone = golden_report({nothing}, golden_check_command(), "");
  EXPECT_FALSE(alone.passed());
  EXPECT_EQ(
      alone.summary(),
      "FAILED: 1 of 1 case passed; 6 elements not verified, because their bounds accept zeros "
      "(--strict fails); expected 1 case or more in which something is verified");
  EXPECT_TRUE(
      golden_report({nothing, golden_result("q/b", 0)}, golden_check_command(), "").passed());
  auto empty = golden_result("q/a", 0);
  empty.tensors[0].count = 0;  // a tensor without elements
  EXPECT_TRUE(golden_report({empty}, golden_check_command(), "").passed());
}

TEST(GoldenReport, CommandToReproduceIsQuotedForSh) {
  tool::golden::GoldenCheckCommand command;
  command.golden = "a b/it's";
  command.pipe = "./x \"$HOME\"";
  command.options.outputs = {"y", "grad_x"};
  command.options.accumulation = corpora::corpus::Accumulation::bfloat16;
  command.options.formula = corpora::tolerance::Formula::one_pass;
  const auto report = golden_report({golden_result("q/a-1x2", 0)}, command, "");
  EXPECT_EQ(report.cases[0].repro,
            "normproof golden check --golden 'a b/it'\\''s' --pipe './x \"$HOME\"' --outputs "
            "y,grad_x --accumulation bfloat16 --formula one_pass --only q/a-1x2");
  EXPECT_EQ(golden_report({golden_result("q/a", 0)}, golden_check_command(), "").cases[0].repro,
            "normproof golden check --golden g --candidate c --only q/a");
}

TEST(GoldenReport, SaysThatItPassesWeaklyIfALargeErrorWouldPass) {
  corpora::gate::CaseResult wide = golden_result("q/wide", 0),
                            narrow = golden_result("q/narrow", 0);
  wide.tensors[0].smallest_found_error = 0.25;
  EXPECT_EQ(golden_report({wide}, golden_check_command(), "").summary(),
            "PASSED, weakly: 1 of 1 case passed; an error of 25.0 % in y of layer_norm in "
            "float32 would pass; the bounds of float64 are smaller");
  // Another case finds smaller errors of the same output.
  narrow.tensors[0].smallest_found_error = 1e-6;
  EXPECT_EQ(golden_report({narrow, wide}, golden_check_command(), "").summary(),
            "PASSED: 2 of 2 cases passed");
  wide.description.c.dtype = normproof::ref::io::DType::bfloat16;
  wide.tensors[0].smallest_found_error = 0.03;  // less than 8 unit roundoffs
  EXPECT_EQ(golden_report({wide}, golden_check_command(), "").summary(),
            "PASSED: 1 of 1 case passed");
}

TEST(GoldenReport, CountsElementsOfWhichNothingWasVerified) {
  corpora::gate::CaseResult result = golden_result("q/a", 0);
  result.tensors[0].vacuous = 3;
  const judged::GoldenReport report = golden_report({result}, golden_check_command(), "");
  EXPECT_EQ(report.unjudged(), 3u);
  EXPECT_THAT(report.summary(), HasSubstr("PASSED where it is judged: 1 of 1 case passed; 3 "
                                          "elements not verified, because their bounds "
                                          "accept zeros (--strict fails)"));
  auto strict = golden_check_command();
  strict.strict = true;
  EXPECT_FALSE(golden_report({result}, strict, "").passed());
}

}  // namespace
}  // namespace normproof::tests::verification::golden::reports
