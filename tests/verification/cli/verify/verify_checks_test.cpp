#include "verification/cli/verify/verify_checks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pugixml.hpp>

#include "tests/verification/cli/verify/sample_report.hpp"
#include "tests/verification/support/report/schema_rules.hpp"
#include "verification/support/report/junit.hpp"

namespace normproof::tests::verification::cli::verify {
namespace {

using namespace normproof::verification::cli;
using namespace normproof::verification::cli::verify;

pugi::xml_document parse(const Report& report) {
  pugi::xml_document document;
  const std::string text = normproof::verification::support::report::junit(verify_checks(report));
  EXPECT_THAT(support::report::junit_violations(text), testing::IsEmpty());
  EXPECT_TRUE(document.load_string(text.c_str()));
  return document;
}

TEST(VerifyJUnit, EveryClaimAndEveryDecidingLayerIsATestCase) {
  const auto document = parse(sample_report());
  const auto claims = document.child("testsuites").child("testsuite");
  EXPECT_STREQ(claims.attribute("tests").value(), "2");
  EXPECT_STREQ(claims.attribute("failures").value(), "0");
  EXPECT_STREQ(claims.child("testcase").attribute("name").value(), "A1 holds & more");
  EXPECT_FALSE(claims.child("testcase").first_child());
  const auto statistics = claims.next_sibling();
  EXPECT_STREQ(statistics.attribute("tests").value(), "3");
  EXPECT_STREQ(statistics.attribute("failures").value(), "0");
}

TEST(VerifyJUnit, EachCheckerIsATestSuite) {
  Report report = sample_report_with_sensitivities();
  const auto document = parse(report);
  const auto proofs =
      document.child("testsuites").find_child_by_attribute("name", "normproof.proofs");
  EXPECT_STREQ(proofs.attribute("tests").value(), "1");
  EXPECT_STREQ(proofs.child("testcase").attribute("name").value(),
               "A1 A1_square, squares.v: <no axiom>");
  const auto smt = proofs.next_sibling();
  EXPECT_STREQ(smt.attribute("skipped").value(), "1");
  EXPECT_STREQ(smt.child("testcase").child("skipped").attribute("message").value(),
               "z3 not installed");
  report.checkers[0].items[0].good = false;
  report.checkers[0].state = report.checkers[1].state = CheckerReport::State::failed;
  const auto failing = parse(report);
  const auto failed =
      failing.child("testsuites").find_child_by_attribute("name", "normproof.proofs");
  EXPECT_STREQ(failed.attribute("failures").value(), "1");
  EXPECT_STREQ(failed.attribute("errors").value(), "0");
  EXPECT_STREQ(failed.next_sibling().attribute("errors").value(), "1");
}

TEST(VerifyJUnit, ReportsFailuresAndErrors) {
  Report report = failing_report();
  report.statistics.padding_is_inert = false;
  for (auto& followed : report.statistics.followed) {
    if (followed.scenario.decides)
      followed.stability.stability = normproof::verification::checks::statistics::Stability::error;
  }
  const auto document = parse(report);
  const auto claims = document.child("testsuites").child("testsuite");
  EXPECT_STREQ(claims.attribute("failures").value(), "1");
  EXPECT_STREQ(claims.attribute("errors").value(), "1");
  const auto failure = claims.child("testcase").child("failure");
  EXPECT_STREQ(failure.attribute("message").value(), "UNEXPECTED: refuted");
  EXPECT_NE(std::string(failure.text().get()).find("x = (3)"), std::string::npos);
  EXPECT_TRUE(claims.child("testcase").next_sibling().child("error"));
  EXPECT_STREQ(claims.next_sibling().attribute("failures").value(), "3");
}

}  // namespace
}  // namespace normproof::tests::verification::cli::verify
