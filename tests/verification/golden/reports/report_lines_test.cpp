#include "verification/golden/reports/report_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/golden/reports/golden_results.hpp"

namespace normproof::tests::verification::golden::reports {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(ReportLines, NotesOutputsInAWiderDtypeWithoutFailingThem) {
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

TEST(ReportLines, NamesTheCorpusVersionAndSaysIfItIsOld) {
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

TEST(ReportLines, DeclinedCasesNeitherFailNorCount) {
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

TEST(ReportLines, FailureShowsEveryMetric) {
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

TEST(ReportLines, ValuesOfSixteenBitsArePrintedInFull) {
  auto tensor = golden_result("q/a", 2).tensors[0];
  tensor.got = 0.0999755859375;
  tensor.exact = 0.1;
  EXPECT_THAT(judged::failure_text(tensor), HasSubstr("got 0.0999755859, exact 0.1,"));
  tensor.item_size = 2;
  EXPECT_THAT(judged::failure_text(tensor), HasSubstr("got 0.0999755859375, exact 0.1,"));
}

TEST(ReportLines, CountsTheCasesThatPassWithAnOption) {
  auto first = golden_result("q/a", 2), second = golden_result("q/b", 2);
  for (auto* result : {&first, &second})
    result->diagnosis = {{.what = "eps_placement='floor'",
                          .kind = corpora::gate::Diagnosis::Kind::option,
                          .outputs = {"y"}}};
  EXPECT_THAT(
      judged::diagnosis_lines(
          golden_report({first, second, golden_result("q/c", 2)}, golden_check_command(), "")),
      ElementsAre("layer_norm: with eps_placement='floor', 2 of 3 failed cases would pass"));
}

TEST(ReportLines, ListsFirstTheDiagnosisOfMostCasesThenOfMostOutputs) {
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

TEST(ReportLines, ReportsIllConditionedFailuresIfThereIsNoDiagnosis) {
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

TEST(ReportLines, ListsWhatTheCasesDoNotAsk) {
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
