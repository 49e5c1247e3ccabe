#include "verification/cli/gpu/gpu_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/verification/support/report/schema_rules.hpp"
#include "verification/support/report/html.hpp"
#include "verification/support/report/junit.hpp"

namespace normproof::verification::cli::gpu {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Returns two rows of a report. The first passes; the second fails with an infinite ratio of its
/// error to its bound.
checks::agreement::Rows sample_agreement_rows() {
  checks::agreement::Rows rows;
  rows.begin("linear", "case <a>");
  rows.judge({.of_bound = 0.25, .of_sums = 0.5, .judged = true}, [] { return ""; });
  rows.judge({.of_bound = 9, .of_sums = 9, .judged = false}, [] { return ""; });
  rows.begin("training", "case <b>");
  rows.judge({.of_bound = std::numeric_limits<double>::infinity(), .of_sums = 2, .judged = true},
             [] { return "element [0]"; });
  return rows;
}

GpuAgreeCommand cublas_command() {
  GpuAgreeCommand command;
  command.mode = GpuProductMode::cublas;
  command.precision = normproof::gpu::ops::Precision::bfloat16;
  return command;
}

TEST(GpuAgreementReport, LineHasErrorRatiosAndTheNumberOfUnjudgedElements) {
  const checks::agreement::Rows rows = sample_agreement_rows();
  EXPECT_THAT(agreement_head(cublas_command()),
              AllOf(HasSubstr("cublas mode, bfloat16 with sums in float32, seed 1"),
                    HasSubstr("by a simulated library"), HasSubstr("of sums")));
  const std::string fine = agreement_line(rows.all()[0], cublas_command());
  EXPECT_THAT(fine, AllOf(HasSubstr(" 2 "), HasSubstr(" 1 "), HasSubstr(" 0.25"), HasSubstr(" 0.5"),
                          HasSubstr("  within\n")));
  EXPECT_THAT(agreement_line(rows.all()[1], cublas_command()),
              HasSubstr("case <b>: element [0] is off by inf of its bound, by 2 of that of its"));
  EXPECT_THAT(agreement_tail(rows, cublas_command()),
              HasSubstr("2 cases: some products exceed their bound"));
}

TEST(GpuAgreementReport, OrderedModeHasNoErrorRatios) {
  checks::agreement::Rows rows;
  rows.begin("softmax", "case");
  rows.compare("y", 1.0, 1.0);
  const GpuAgreeCommand command;
  EXPECT_THAT(agreement_line(rows.all()[0], command), HasSubstr("same bits"));
  EXPECT_THAT(agreement_head(command), Not(HasSubstr("of bound")));
  EXPECT_THAT(agreement_json(rows, command), Not(HasSubstr("of_bound")));
  EXPECT_THAT(agreement_tail(rows, command), HasSubstr("1 case: the same bits\n"));
}

TEST(GpuAgreementReport, JsonHasEveryRowAndInfinityAsText) {
  EXPECT_THAT(agreement_json(sample_agreement_rows(), cublas_command()),
              AllOf(HasSubstr("\"agree\": false"), HasSubstr("\"precision\": \"bfloat16\""),
                    HasSubstr("\"not_judged\": 1"), HasSubstr("\"of_bound\": \"inf\""),
                    HasSubstr("\"of_sums\": 0.5")));
}

TEST(GpuAgreementReport, JUnitFailsTheRowThatDiffers) {
  const std::string junit = support::report::junit(agreement_checks(sample_agreement_rows()));
  EXPECT_THAT(tests::verification::support::report::junit_violations(junit), testing::IsEmpty());
  EXPECT_THAT(junit, AllOf(HasSubstr("tests=\"2\""), HasSubstr("name=\"linear\" />"),
                           HasSubstr("<failure message=\"case &lt;b")));
}

TEST(GpuAgreementReport, PageIsSelfContained) {
  const std::string page =
      support::report::html(agreement_document(sample_agreement_rows(), cublas_command()));
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>"));
  for (const char* foreign : {"<script", "<link", "<img", "@import", "src="})
    EXPECT_THAT(page, Not(HasSubstr(foreign)));
  EXPECT_THAT(page,
              AllOf(HasSubstr("outcome bad"), HasSubstr("<tr class=\"bad\">"),
                    HasSubstr("case &lt;b&gt;"), HasSubstr("data-label=\"of bound\">0.25</td>"),
                    HasSubstr("bfloat16 with sums in float32")));
}

}  // namespace
}  // namespace normproof::verification::cli::gpu
