#include "verification/golden/reports/golden_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/golden/reports/golden_results.hpp"
#include "verification/support/report/markdown.hpp"
#include "verification/support/report/terminal.hpp"

namespace normproof::tests::verification::golden::reports {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string text_of(const judged::GoldenReport& report) {
  return normproof::verification::support::report::terminal_text(judged::golden_document(report));
}

std::string render_markdown(const judged::GoldenReport& report) {
  return normproof::verification::support::report::markdown(judged::golden_job_summary(report));
}

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

TEST(GoldenReport, FailuresThatOneRoundingOfTheInputsExplainsAreLast) {
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

TEST(GoldenReport, RepeatedSentencesAreListedOnce) {
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

TEST(GoldenReport, ShowsNoNumbersForOutputsThatWereNotCompared) {
  auto absent = golden_result("q/a", 0);
  absent.tensors[0] = {};
  absent.tensors[0].name = "y";
  absent.tensors[0].problem = "is absent";
  const auto text = render_markdown(golden_report({absent}, golden_check_command(), ""));
  EXPECT_THAT(text, HasSubstr("| y | 1 | 1 | - | - | - | - | - | 0 |"));
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

TEST(GoldenReport, NotesOutputsInAWiderDtypeWithoutFailingThem) {
  auto wide = golden_result("q/a", 0);
  wide.tensors[0].note =
      "is not of bfloat16: [0, 3] = 0.1 has more digits (float32, 5 of 6 elements)";
  const auto report = golden_report({wide, golden_result("q/b", 0)}, golden_check_command(), "");
  EXPECT_TRUE(report.passed());
  EXPECT_THAT(
      judged::note_lines(report),
      ElementsAre("layer_norm: 1 output judged as stored, with more digits than the dtype of the "
                  "case has: y of q/a is not of bfloat16: [0, 3] = 0.1 has more digits (float32, 5 "
                  "of 6 elements)"));
}

TEST(GoldenReport, NamesTheCorpusVersionAndSaysIfItIsOld) {
  const auto command = golden_check_command();
  auto settings = command.settings("");
  EXPECT_TRUE(judged::corpus_lines(judged::golden_report({}, settings)).empty());
  settings.corpus = corpora::certify::built_corpus_version();
  const std::string built = settings.corpus->text();
  EXPECT_THAT(judged::corpus_lines(judged::golden_report({}, settings)),
              ElementsAre("corpus " + built));
  settings.corpus = {.major = 1, .minor = 2, .patch = 3, .hash = "0123456789ab"};
  const auto report = judged::golden_report({golden_result("q/a", 0)}, settings);
  EXPECT_THAT(text_of(report),
              AllOf(HasSubstr("corpus 1.2.3+0123456789ab\n"),
                    HasSubstr("the corpus is behind that of this program, " + built)));
  EXPECT_TRUE(report.passed());
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

TEST(GoldenReport, DeclinedCasesNeitherFailNorCount) {
  auto command = golden_check_command();
  const auto with = [&](std::size_t min_cases) {
    command.min_cases = min_cases;
    return golden_report({golden_result("q/a", 0), golden_declined_result("q/b")}, command, "");
  };
  EXPECT_TRUE(with(1).passed());
  EXPECT_EQ(with(1).summary(), "PASSED: 1 of 2 cases passed, 1 declined");
  EXPECT_FALSE(with(2).passed());
  EXPECT_EQ(with(2).summary(),
            "FAILED: 1 of 2 cases passed, 1 declined; expected 2 cases or more in which "
            "something is verified");
  command.min_cases = 1;
  EXPECT_FALSE(golden_report({golden_declined_result("q/a")}, command, "").passed());
  EXPECT_THAT(
      judged::declined_lines(with(1)),
      ElementsAre("layer_norm: 1 of 2 cases declined: the candidate does not offer it, q/b"));
  auto first = golden_declined_result("q/a");
  first.problem = "no mask";
  const auto two = golden_report({first, golden_declined_result("q/b")}, command, "");
  EXPECT_THAT(judged::declined_lines(two),
              ElementsAre("layer_norm: 2 of 2 cases declined: the candidate does not offer them, "
                          "such as q/a: no mask"));
  EXPECT_THAT(text_of(two), StartsWith("layer_norm: 2 of 2 cases declined"));
  EXPECT_THAT(render_markdown(two), Not(HasSubstr("| layer |")));
}

TEST(GoldenReport, FailureShowsEveryMetric) {
  const auto result = golden_result("q/a", 2);
  EXPECT_EQ(judged::failure_text(result.tensors[0]),
            "y at [0, 3]: got -0.25, exact -0.75, bound 0.0625 (ratio 8); 2 of 6 elements; max abs "
            "0.5, max rel 0.75, max ulp 4.1e+03, norm-wise 0.25; one rounding of the inputs moves "
            "50.0 % of the bound");
  auto tensor = result.tensors[0];
  tensor.unjudged = 3;
  EXPECT_THAT(judged::failure_text(tensor), HasSubstr("; 3 not judged"));
  tensor.problem = "is absent";
  EXPECT_EQ(judged::failure_text(tensor), "y is absent");
}

TEST(GoldenReport, TheSecondLineOfAFailureSaysWhatTheCaseAsks) {
  const auto report = golden_report({golden_result("q/a", 2)}, golden_check_command(), "");
  EXPECT_THAT(text_of(report), HasSubstr("q/a\n  this case asks: what <it> is for\n  y at "));
}

TEST(GoldenReport, ValuesOfSixteenBitsArePrintedInFull) {
  auto tensor = golden_result("q/a", 2).tensors[0];
  tensor.got = 0.0999755859375;
  tensor.exact = 0.1;
  EXPECT_THAT(judged::failure_text(tensor), HasSubstr("got 0.0999755859, exact 0.1,"));
  tensor.item_size = 2;
  EXPECT_THAT(judged::failure_text(tensor), HasSubstr("got 0.0999755859375, exact 0.1,"));
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

TEST(GoldenReport, ListsFirstTheDiagnosisOfMostCasesThenOfMostOutputs) {
  const auto agreeing = [](const char* what, std::vector<std::string> outputs) {
    return normproof::verification::golden::gate::Diagnosis{.what = what,
                                                            .outputs = std::move(outputs)};
  };
  auto first = golden_result("q/a", 2), second = golden_result("q/b", 2);
  first.diagnosis = {agreeing("a few", {"y"}), agreeing("both", {"y", "grad_x"})};
  second.diagnosis = {agreeing("a few", {"y"}), agreeing("both", {"y", "grad_x"}),
                      agreeing("once", {"y", "grad_x", "grad_gamma", "grad_beta"})};
  EXPECT_THAT(judged::diagnosis_lines(golden_report({first, second}, golden_check_command(), "")),
              ElementsAre("layer_norm: 'both' agrees with 2 of 2 failed cases"));
}

TEST(GoldenReport, ReportsIllConditionedFailuresIfThereIsNoDiagnosis) {
  auto well = golden_result("q/a", 0), ill = golden_result("q/b", 2);
  well.description.condition = 2;
  ill.description.condition = 754;
  EXPECT_THAT(judged::diagnosis_lines(golden_report({well, ill}, golden_check_command(), "")),
              ElementsAre("layer_norm: every failure is at a condition number of 754 or more, as "
                          "of one-pass variance, E[x^2] - E[x]^2"));
  auto named = ill;
  named.diagnosis = {{.what = "the last row", .outputs = {"y"}}};
  EXPECT_THAT(
      judged::diagnosis_lines(golden_report({well, ill, named}, golden_check_command(), "")),
      ElementsAre("layer_norm: 'the last row' agrees with 1 of 2 failed cases"));
  ill.description.condition = 19;
  EXPECT_THAT(judged::diagnosis_lines(golden_report({well, ill}, golden_check_command(), "")),
              testing::IsEmpty());
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

TEST(GoldenReport, TextEndsWithTheFailuresAndTheSummary) {
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

TEST(GoldenReport, MarkdownHoldsTheSameReportWithEscapedMarkup) {
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

TEST(GoldenReport, ListsWhatTheCasesDoNotAsk) {
  corpora::gate::CaseResult result = golden_result("q/a", 0);
  result.tensors[0].unasked = 3;
  const judged::GoldenReport report = golden_report({result}, golden_check_command(), "");
  EXPECT_TRUE(report.passed());
  EXPECT_THAT(text_of(report),
              HasSubstr("layer_norm: 3 elements not asked for, because zeros would be within the "
                        "bounds of any correct implementation: y of q/a"));
}

}  // namespace
}  // namespace normproof::tests::verification::golden::reports
