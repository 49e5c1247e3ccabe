#include "verification/cli/verify/report.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/verification/cli/verify/sample_report.hpp"

namespace normproof::tests::verification::cli::verify {
namespace {

using namespace normproof::verification::cli;
using namespace normproof::verification::cli::verify;
using normproof::verification::checks::statistics::Stability;

TEST(VerifyReport, EveryVerdictHasAText) {
  ReportedClaim claim;
  claim.holds = true;
  claim.as_expected = true;
  EXPECT_EQ(verdict_text(claim), "holds");
  claim.as_expected = false;
  EXPECT_EQ(verdict_text(claim), "UNEXPECTED: holds");
  claim.holds = false;
  EXPECT_EQ(verdict_text(claim), "UNEXPECTED: refuted");
  claim.as_expected = true;
  EXPECT_EQ(verdict_text(claim), "refuted, as expected");
  claim.failure = "threw";
  EXPECT_EQ(verdict_text(claim), "FAILED");
}

TEST(VerifyReport, ReasonsNameTheDroppedAssumptionAndTheCounterexample) {
  const Report report = sample_report();
  using Lines = std::vector<std::string>;
  EXPECT_EQ(reasons(report.claims[0]), Lines{});
  EXPECT_EQ(reasons(report.claims[1]), (Lines{"dropped: γ <= ψ", "counterexample: x = (1, <2>)"}));
  const Report failing = failing_report();
  EXPECT_EQ(reasons(failing.claims[0]), (Lines{"counterexample: x = (3)"}));
  EXPECT_EQ(reasons(failing.claims[1]), (Lines{"claim B12: its check threw: \"no\""}));
}

TEST(VerifyReport, SucceedsOnlyIfEverythingIsAsExpected) {
  Report report = sample_report();
  EXPECT_TRUE(succeeded(report));
  EXPECT_EQ(closing_line(report),
            "PASSED: 2 claims as expected (1 hold, 1 refuted where an assumption is dropped); the "
            "statistics have no error.");
  report.statistics.padding_is_inert = false;
  EXPECT_FALSE(succeeded(report));
  EXPECT_EQ(closing_line(report),
            "FAILED: 2 claims as expected (1 hold, 1 refuted where an assumption is dropped); the "
            "statistics have an error.");
  const Report failing = failing_report();
  EXPECT_FALSE(succeeded(failing));
  EXPECT_EQ(unexpected_claims(failing), (std::vector<std::string>{"A1", "B12"}));
  EXPECT_EQ(closing_line(failing),
            "FAILED: 2 of 2 claims not as expected (A1, B12); the statistics have no error.");
}

TEST(VerifyReport, CheckerCanFailOrBeSkipped) {
  Report report = sample_report_with_sensitivities();
  EXPECT_TRUE(succeeded(report));
  EXPECT_TRUE(has_skipped_checker(report));
  EXPECT_EQ(closing_line(report),
            "PASSED: 2 claims as expected (1 hold, 1 refuted where an assumption is dropped); the "
            "statistics have no error. --proofs: passed: 1 theorem about 1 claim. --smt: skipped: "
            "z3 not installed.");
  report.checkers[1].state = CheckerReport::State::failed;
  EXPECT_FALSE(succeeded(report));
  EXPECT_FALSE(has_skipped_checker(report));
  EXPECT_EQ(closing_line(report).substr(0, 8), "FAILED: ");
}

TEST(VerifyReport, SensitivitiesAreDescribedInWords) {
  EXPECT_EQ(power_text({"y + δ", 0x1p-150}), "y + δ: from δ = 2^-150 on");
  EXPECT_EQ(power_text({"y + δ", 0x1p-399}), "y + δ: every δ tried, down to 2^-399");
  EXPECT_EQ(power_text({"y + δ", 0.0625}), "y + δ: from δ = 0.062 on");
  EXPECT_EQ(power_text({"y + δ", std::numeric_limits<double>::infinity()}),
            "y + δ: not even δ = 1");
}

TEST(VerifyReport, UnstableDecidingLayerIsAFailure) {
  Report report = sample_report();
  for (auto& followed : report.statistics.followed) {
    followed.stability.stability = Stability::error;
    EXPECT_EQ(succeeded(report), !followed.scenario.decides) << followed.scenario.name;
    followed.stability.stability = Stability::stable;
  }
}

}  // namespace
}  // namespace normproof::tests::verification::cli::verify
