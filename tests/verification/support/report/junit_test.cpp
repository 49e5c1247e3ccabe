#include "verification/support/report/junit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pugixml.hpp>

#include "tests/verification/support/report/sample_checks.hpp"
#include "tests/verification/support/report/schema_rules.hpp"

namespace normproof::tests::verification::support::report {
namespace {

using namespace normproof::verification::support::report;
using testing::IsEmpty;
using testing::StartsWith;

TEST(JUnit, ObeysTheRulesOfTheSchema) {
  EXPECT_THAT(junit_violations(junit(sample_checks())), IsEmpty());
  EXPECT_THAT(junit_violations(junit({})), IsEmpty());
}

TEST(JUnit, CountsEverySuiteAndTheTotal) {
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(junit(sample_checks()).c_str()));
  const auto root = document.child("testsuites");
  EXPECT_STREQ(root.attribute("tests").value(), "6");
  EXPECT_STREQ(root.attribute("failures").value(), "2");
  EXPECT_STREQ(root.attribute("errors").value(), "1");
  const auto suite = root.child("testsuite");
  EXPECT_STREQ(suite.attribute("name").value(), "g");
  EXPECT_STREQ(suite.attribute("failures").value(), "2");
  EXPECT_STREQ(suite.next_sibling().attribute("skipped").value(), "2");
  EXPECT_STREQ(suite.next_sibling().next_sibling().attribute("tests").value(), "0");
}

TEST(JUnit, FailureHasEverySentenceAndItsReproCommand) {
  EXPECT_THAT(junit(sample_checks()), StartsWith("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"));
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(junit(sample_checks()).c_str()));
  const auto suite = document.child("testsuites").child("testsuite");
  EXPECT_FALSE(suite.child("testcase").first_child());
  const auto failed = suite.find_child_by_attribute("name", "fails <&\"'>").child("failure");
  EXPECT_STREQ(failed.attribute("message").value(), "y is   2 > 1");
  EXPECT_STREQ(failed.text().get(),
               "y is\n  2 > 1\nx is absent ]]>\nas of \xef\xbf\xbd\nrepro: redo --only 'fails'\n");
  // A failure has no text if its message is complete.
  const auto again = suite.find_child_by_attribute("name", "fails again").child("failure");
  EXPECT_STREQ(again.attribute("message").value(), "y is absent");
  EXPECT_TRUE(again.text().empty());
  const auto others = suite.next_sibling();
  EXPECT_STREQ(others.child("testcase").child("error").attribute("message").value(), "no memory");
  EXPECT_STREQ(others.last_child().child("skipped").attribute("message").value(),
               "failed, as listed");
}

}  // namespace
}  // namespace normproof::tests::verification::support::report
