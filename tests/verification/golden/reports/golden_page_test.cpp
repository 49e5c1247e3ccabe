#include "verification/golden/reports/golden_page.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/io/atomic_file.hpp"
#include "tests/verification/cli/program_run.hpp"
#include "tests/verification/golden/reports/golden_results.hpp"

namespace normproof::tests::verification::golden::reports {
namespace {

using judged::golden_page;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Returns a report in which two failures have an error map. The second failure is worse.
judged::GoldenReport report_with_error_maps() {
  corpora::gate::CaseResult near = golden_result("q/a_near", 1), far = golden_result("q/b_far", 2);
  near.tensors[0].map = {{"0"}, {"0", "1"}, {0, 8}};
  far.tensors[0].map = {{"0", "1"}, {"0", "1", "2"}, {0, 1, 2, 3, 4, 77}};
  far.tensors[0].ratio = 77;
  corpora::gate::Diagnosis diagnosis{"eps: outside the root"};
  diagnosis.outputs = {"y"};
  far.diagnosis.push_back(diagnosis);
  return golden_report({near, far, golden_result("q/c_passes", 0)}, golden_check_command(), "");
}

TEST(GoldenPage, IsSelfContained) {
  const std::string page = golden_page(report_with_error_maps());
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>"));
  for (const char* foreign : {"<script", "<link", "<img", "@import", "src=", "http-equiv"})
    EXPECT_THAT(page, Not(HasSubstr(foreign)));
}

TEST(GoldenPage, ShowsTheWorstCaseFirstWithItsNameErrorMapAndCommand) {
  const std::string page = golden_page(report_with_error_maps());
  const std::size_t worst = page.find("<h2>The worst case</h2>"),
                    outputs = page.find("<h2>Every output</h2>"),
                    others = page.find("<h2>Other failures</h2>");
  ASSERT_LT(worst, outputs);
  ASSERT_LT(outputs, others);
  ASSERT_NE(others, std::string::npos);
  const std::string first = page.substr(worst, outputs - worst), last = page.substr(others);
  EXPECT_THAT(first,
              AllOf(HasSubstr("<code>q/b_far</code>"), HasSubstr("eps: outside the root"),
                    HasSubstr("golden check --golden g --candidate c --only q/b_far"),
                    HasSubstr("<title>row 1, 2: 77</title>"),
                    HasSubstr("2 of 6 elements are beyond their bound"),
                    HasSubstr("at [0, 3]; the worst row is 1."), Not(HasSubstr("q/a_near"))));
  EXPECT_THAT(last,
              AllOf(HasSubstr("<code>q/a_near</code>"), HasSubstr("<title>row 0, 1: 8</title>"),
                    HasSubstr("Error over bound of y in q/a_near"), Not(HasSubstr("q/b_far"))));
  EXPECT_THAT(page, AllOf(HasSubstr("outcome bad"), HasSubstr("FAILED: 1 of 3 cases passed")));
}

std::size_t count_occurrences(const std::string& what, const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++count;
  return count;
}

/// Returns a page with this number of failures. Each has an error map with this number of columns.
std::string render_page_with_failures(int failures, std::size_t columns) {
  std::vector<corpora::gate::CaseResult> results;
  for (int i = 0; i < failures; ++i) {
    results.push_back(golden_result(fmt::format("q/{:03}", i), 1));
    results.back().tensors[0].map = {
        {"0"}, std::vector<std::string>(columns, "0"), std::vector<double>(columns, 2)};
  }
  return golden_page(golden_report(results, golden_check_command(), ""));
}

TEST(GoldenPage, ShowsAMapPerFailureUpToALimit) {
  const std::string few = render_page_with_failures(41, 3);
  EXPECT_EQ(count_occurrences("<figure>", few), 41u);
  EXPECT_THAT(few, Not(HasSubstr("left out")));
  const std::string many = render_page_with_failures(45, 3);
  EXPECT_EQ(count_occurrences("<figure>", many), 41u);
  EXPECT_EQ(count_occurrences("<section class=\"problem\">", many), 45u);
  EXPECT_THAT(many,
              HasSubstr("<p>4 of 44 maps are left out. Beside the map of the worst case this page "
                        "has room for 40 maps of 12,000 squares in total. The page of a single "
                        "case has its map.</p>"));
  const std::string wide = render_page_with_failures(6, 4000);
  EXPECT_EQ(count_occurrences("<figure>", wide), 4u);
  EXPECT_THAT(wide, HasSubstr("<p>2 of 5 maps are left out. "));
}

TEST(GoldenPage, ShowsNoPictureWithoutAMap) {
  const std::string page = golden_page(golden_sample_report());
  EXPECT_THAT(page, AllOf(HasSubstr("<h2>Failures</h2>"), HasSubstr("<code>q/c_crashes</code>"),
                          HasSubstr("what &lt;it&gt; is for"), Not(HasSubstr("<figure>"))));
  const std::string passed =
      golden_page(golden_report({golden_result("q/a", 0)}, golden_check_command(), ""));
  EXPECT_THAT(passed, AllOf(HasSubstr("outcome good"), HasSubstr("Every output"),
                            Not(HasSubstr("Failures")), Not(HasSubstr("The worst case"))));
}

TEST(GoldenPage, PageOfCommandGoldenCheckShowsTheErrorMapOfAnOutput) {
  const tests::ref::io::TemporaryFolder folder;
  const std::string page = (folder / "page.html").string();
  // The candidate's output y is 0.
  const cli::Outcome outcome = cli::run(
      "$N golden check --golden '" NORMPROOF_SOURCE_DIR
      "/verification/golden/data' --only '*/layer_norm/odd-13x17-float32' --outputs y --pipe "
      "'read -r path rest; printf \"%s y:float32:13x17\" \"$path\"; for i in $(seq 221); do "
      "printf \" 0\"; done; echo' --html '" +
      page + "'");
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(normproof::ref::io::read_text(page),
              AllOf(HasSubstr("<title>row 12, 16: "), HasSubstr("Error over bound of y in "
                                                                "quick/layer_norm/odd-13x17")));
}

}  // namespace
}  // namespace normproof::tests::verification::golden::reports
