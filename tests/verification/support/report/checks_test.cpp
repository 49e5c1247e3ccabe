#include "verification/support/report/checks.hpp"

#include <gtest/gtest.h>

#include "tests/verification/support/report/sample_checks.hpp"

namespace normproof::tests::verification::support::report {
namespace {

using namespace normproof::verification::support::report;

TEST(ReportChecks, AreCountedByOutcome) {
  const Checks checks = sample_checks();
  EXPECT_EQ(count_checks(checks[0], Outcome::passed), 1u);
  EXPECT_EQ(count_checks(checks[0], Outcome::failed), 2u);
  EXPECT_EQ(count_checks(checks[0], Outcome::skipped), 0u);
  EXPECT_EQ(count_checks(checks[1], Outcome::error), 1u);
  EXPECT_EQ(count_checks(checks[1], Outcome::skipped), 2u);
}

TEST(ReportChecks, EveryOutcomeHasAName) {
  EXPECT_STREQ(to_string(Outcome::passed), "passed");
  EXPECT_STREQ(to_string(Outcome::failed), "failed");
  EXPECT_STREQ(to_string(Outcome::error), "error");
  EXPECT_STREQ(to_string(Outcome::skipped), "skipped");
}

}  // namespace
}  // namespace normproof::tests::verification::support::report
