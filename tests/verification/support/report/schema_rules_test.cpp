#include "tests/verification/support/report/schema_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace normproof::tests::verification::support::report {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

std::string make_junit_with_suite(const std::string& attributes, const std::string& cases) {
  return "<testsuites><testsuite " + attributes + ">" + cases + "</testsuite></testsuites>";
}

TEST(SchemaRules, FindsEveryInjectedFaultInAJUnitFile) {
  const std::string good = R"(name="s" tests="1" failures="0" errors="0" skipped="0")";
  EXPECT_THAT(junit_violations(make_junit_with_suite(good, R"(<testcase name="a"/>)")), IsEmpty());
  for (const auto& [text, sentence] :
       {std::pair{std::string("<testsuite"), "no XML"},
        {std::string("<testsuite name='s' tests='0' failures='0' errors='0' skipped='0'/>"),
         "the root is no <testsuites>"},
        {make_junit_with_suite(R"(name="s" tests="1" errors="0" skipped="0")",
                               R"(<testcase name="a"/>)"),
         "<testsuite> has no failures"},
        {make_junit_with_suite(good, ""), "a suite says tests=1 and has 0"},
        {make_junit_with_suite(good, "<testcase/>"), "<testcase> has no name"},
        {make_junit_with_suite(good, R"(<testcase name="a" line="1"/>)"), "has the attribute line"},
        {make_junit_with_suite(good, R"(<testcase name="a">text</testcase>)"),
         "<testcase> holds text"},
        {make_junit_with_suite(good, R"(<testcase name="a"><skip/></testcase>)"), "holds <skip>"},
        {make_junit_with_suite(good, R"(<testcase name="a"><failure/></testcase>)"),
         "a suite says failures=0 and has 1"}}) {
    EXPECT_THAT(junit_violations(text), Contains(HasSubstr(sentence))) << text;
  }
}

std::string log_of(const std::string& rules, const std::string& result) {
  return R"({"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "n", "rules": [)" + rules +
         R"(]}}, "results": [)" + result + "]}]}";
}

TEST(SchemaRules, FindsEveryInjectedFaultInASarifFile) {
  const std::string rule = R"({"id": "a"})", message = R"("message": {"text": "t"})";
  const auto result = [&](const std::string& more) {
    return R"({"ruleId": "a", "ruleIndex": 0, )" + message + more + "}";
  };
  const auto located = [&](const std::string& place) {
    return log_of(rule, result(R"(, "locations": [{"physicalLocation": {)" + place + "}}]"));
  };
  EXPECT_THAT(sarif_violations(log_of(rule, result(""))), IsEmpty());
  EXPECT_THAT(sarif_violations(located(R"("artifactLocation": {"uri": "a/b%20c"})")), IsEmpty());
  for (const auto& [text, sentence] :
       {std::pair{std::string("{"), "no JSON"},
        {std::string(R"({"version": "2.1.0"})"), "log has no runs"},
        {std::string(R"({"version": "2", "runs": []})"), "version is not 2.1.0"},
        {std::string(R"({"version": "2.1.0", "runs": [{}]})"), "run has no tool"},
        {log_of(rule + "," + rule, ""), "a rule is there twice"},
        {log_of(rule, R"({"ruleId": "a", "ruleIndex": 0})"), "result has no message"},
        {log_of(rule, result(R"(, "text": "t")")), "result.text is unknown"},
        {log_of(rule, result(R"(, "kind": "bad")")), "a result's kind"},
        {log_of(rule, result(R"(, "level": "bad")")), "a result's level"},
        {log_of(rule, result(R"(, "kind": "pass", "level": "error")")), "has a level"},
        {log_of(R"({"id": "b"})", result("")), "is not that of ruleId"},
        {log_of("", result("")), "is not that of ruleId"},
        {located(R"("region": {"startLine": 1})"), "place has no artifactLocation"},
        {located(R"("artifactLocation": {"uri": "a b"})"), "uri is 'a b'"},
        {located(R"("artifactLocation": {"uri": "a"}, "region": {"startLine": 0})"),
         "startLine is below 1"}}) {
    EXPECT_THAT(sarif_violations(text), Contains(HasSubstr(sentence))) << text;
  }
}

}  // namespace
}  // namespace normproof::tests::verification::support::report
