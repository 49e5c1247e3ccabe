#include "verification/cli/regress/regress_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "tests/verification/cli/regress/sample_regression.hpp"
#include "tests/verification/support/report/schema_rules.hpp"
#include "verification/checks/compare/ulp.hpp"
#include "verification/support/report/junit.hpp"

namespace normproof::tests::verification::cli::regress {
namespace {

using namespace normproof::verification::cli;
using namespace normproof::verification::cli::regress;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

TEST(RegressReport, TextHasOneLinePerChangedOutput) {
  const std::string text = regress_text(sample_regression());
  EXPECT_THAT(
      text,
      AllOf(StartsWith("from 'it's v2' (line 2): --pipe ./k <a>; compiler g++ 12\n"
                       "to   @3 (line 3): "),
            HasSubstr("\ntowards  quick/a grad_x: 2 of 12 elements by up to 1 ulp, most at [0, 1]; "
                      "error at most 2 -> 1 ulp, mean 1 -> 1; share of the bound at most 0.5 -> "
                      "0.25, mean 0.25 -> 0.25\n"),
            HasSubstr("\naway     quick/a y: 12 of 12 elements by up to 1,234 ulp, most at [3]; "),
            HasSubstr("\nneither  quick/b y: float64 -> float32; error at most 0 -> 0 ulp"),
            HasSubstr("\naway     quick/c: has no answer any more: <it> ended\n"),
            EndsWith("\nMOVED 'it's v2' -> @3: 4 outputs in 3 of 9 cases moved, by up to 1,234 "
                     "ulp: 1 towards the truth, 2 away, 1 neither\n")));
}

TEST(RegressReport, ChangedDTypeHasNoDirection) {
  RegressReport report = sample_regression();
  report.change.movements = {report.change.movements[2]};
  EXPECT_THAT(report.summary(), HasSubstr(" moved: 0 towards the truth, 0 away, 1 neither"));
}

TEST(RegressReport, ChangeToOrFromNaNHasNoDistance) {
  RegressReport report = sample_regression();
  report.change.movements[0].max_steps =
      normproof::verification::checks::compare::kInfiniteUlpDistance;
  EXPECT_THAT(output_change_text(report.change.movements[0]),
              StartsWith("2 of 12 elements to or from NaN, most at"));
  EXPECT_EQ(nlohmann::json::parse(regress_json(report))["movements"][0]["max_ulp"], "nan");
}

TEST(RegressReport, OnlyChangesTowardsTheTruthCanBeAllowed) {
  RegressReport report = sample_regression();
  EXPECT_FALSE(report.passed());
  report.allow_towards = true;
  EXPECT_FALSE(report.passed());
  EXPECT_THAT(report.summary(), EndsWith("; only towards is allowed"));
  report.change.movements.resize(1);
  EXPECT_TRUE(report.passed());
  EXPECT_THAT(report.summary(), StartsWith("ALLOWED "));
  report.allow_towards = false;
  EXPECT_FALSE(report.passed());
  report.change.movements.clear();
  EXPECT_TRUE(report.passed());
  EXPECT_EQ(report.summary(), "SAME 'it's v2' -> @3: 30 outputs of 9 cases");
}

TEST(RegressReport, JsonHoldsEveryNumber) {
  const auto stored = nlohmann::json::parse(regress_json(sample_regression()));
  EXPECT_EQ(stored["passed"], false);
  EXPECT_EQ(stored["from"]["label"], "it's v2");
  EXPECT_EQ(stored["to"]["line"], 3);
  EXPECT_EQ(stored["to"]["environment"]["threads"], "2");
  ASSERT_EQ(stored["movements"].size(), 4u);
  EXPECT_EQ(stored["movements"][1]["max_ulp"], 1234);
  EXPECT_EQ(stored["movements"][1]["direction"], "away");
  EXPECT_EQ(stored["movements"][1]["after"]["max_share"], 0.5);
  EXPECT_EQ(stored["movements"][3]["what"], "has no answer any more: <it> ended");
}

TEST(RegressReport, JUnitHasOneCasePerChangedCase) {
  RegressReport report = sample_regression();
  report.allow_towards = true;
  pugi::xml_document junit;
  const std::string text = normproof::verification::support::report::junit(regress_checks(report));
  EXPECT_THAT(support::report::junit_violations(text), testing::IsEmpty());
  ASSERT_TRUE(junit.load_string(text.c_str()));
  const auto suite = junit.child("testsuites").child("testsuite");
  EXPECT_STREQ(suite.attribute("tests").value(), "4");
  EXPECT_STREQ(suite.attribute("failures").value(), "3");
  const auto moved = suite.find_child_by_attribute("name", "quick/a");
  // An allowed change is not a failure.
  EXPECT_THAT(moved.child("failure").attribute("message").value(), StartsWith("y away: 12 of 12"));
  EXPECT_TRUE(suite.find_child_by_attribute("name", "the other 6 cases"));
  report.change.movements.resize(1);
  report.change.moved_cases = 1;
  ASSERT_TRUE(junit.load_string(
      normproof::verification::support::report::junit(regress_checks(report)).c_str()));
  EXPECT_STREQ(junit.child("testsuites").child("testsuite").attribute("failures").value(), "0");
}

}  // namespace
}  // namespace normproof::tests::verification::cli::regress
