#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <sstream>

#include "tests/verification/golden/reports/golden_results.hpp"
#include "tests/verification/support/report/schema_rules.hpp"
#include "verification/golden/reports/golden_report.hpp"
#include "verification/support/report/json_lines.hpp"
#include "verification/support/report/junit.hpp"
#include "verification/support/report/markdown.hpp"
#include "verification/support/report/sarif.hpp"
#include "verification/support/report/terminal.hpp"

// Tests the machine-readable reports.
namespace normproof::tests::verification::golden::reports {
namespace {

namespace machine = normproof::verification::support::report;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

std::vector<json> parse_json_lines(const std::string& text) {
  std::vector<json> objects;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) objects.push_back(json::parse(line));
  return objects;
}

pugi::xml_document document_of(const judged::GoldenReport& report) {
  pugi::xml_document document;
  const std::string text = machine::junit(judged::golden_checks(report));
  EXPECT_THAT(support::report::junit_violations(text), IsEmpty());
  EXPECT_TRUE(document.load_string(text.c_str()));
  return document;
}

TEST(GoldenReportFiles, TooFewCasesAreAFailureInEveryFile) {
  judged::GoldenReport report = golden_sample_report();
  const auto suite = [&] { return document_of(report).child("testsuites").child("testsuite"); };
  const int failures = suite().attribute("failures").as_int();
  report.min_cases = report.judged_case_count() + 1;
  const pugi::xml_document document = document_of(report);
  const auto with = document.child("testsuites").child("testsuite");
  EXPECT_EQ(with.attribute("failures").as_int(), failures + 1);
  EXPECT_EQ(with.attribute("tests").as_int(), 7);
  const auto last = with.last_child();
  EXPECT_STREQ(last.attribute("name").value(), "min-cases");
  EXPECT_EQ(last.child("failure").attribute("message").value(), report.summary());
  const auto checks = judged::golden_checks(report);
  EXPECT_EQ(parse_json_lines(machine::json_lines(checks)).back()["path"], "min-cases");
  EXPECT_THAT(machine::sarif(checks), HasSubstr("\"min-cases: FAILED: 1 of 6 cases passed"));
}

TEST(GoldenReportFiles, JsonHasOneCasePerLine) {
  const auto objects =
      parse_json_lines(machine::json_lines(judged::golden_checks(golden_sample_report())));
  ASSERT_EQ(objects.size(), 6u);
  const char* const outcomes[] = {"passed", "failed", "failed", "xfail", "xpass", "declined"};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(objects[i]["outcome"], outcomes[i]);
  EXPECT_EQ(objects[0]["path"], "q/a_passes");
  EXPECT_EQ(objects[2]["problem"], "the candidate ended with status 7 before it answered");
  EXPECT_TRUE(objects[2]["tensors"].empty());
  const json y = objects[3]["tensors"][0];
  EXPECT_EQ(y["name"], "y");
  EXPECT_EQ(y["passed"], false);
  EXPECT_EQ(y["count"], 6);
  EXPECT_EQ(y["failures"], 1);
  EXPECT_EQ(y["unjudged"], 0);
  EXPECT_EQ(y["ratio"], 8);
  EXPECT_EQ(y["max_ulp"], 4096);
  EXPECT_EQ(y["max_absolute"], 0.5);
  EXPECT_EQ(y["max_relative"], 0.75);
  EXPECT_EQ(y["norm_wise"], 0.25);
  EXPECT_EQ(y["where"], "[0, 3]");
  EXPECT_EQ(y["got"], -0.25);
  EXPECT_EQ(y["exact"], -0.75);
  EXPECT_EQ(y["bound"], 0.0625);
  EXPECT_EQ(y["of_the_inputs"], 0.5);
  // JSON has no infinity and no NaN, so they are texts.
  EXPECT_EQ(objects[1]["tensors"][0]["got"], "nan");
  EXPECT_EQ(objects[1]["tensors"][0]["ratio"], "inf");
  EXPECT_EQ(objects[1]["tensors"][1]["problem"], "is absent");
}

TEST(GoldenReportFiles, EveryFileNamesTheCorpusVersion) {
  const auto command = golden_check_command();
  auto settings = command.settings("");
  settings.corpus = {.major = 1, .minor = 2, .patch = 3, .hash = "0123456789ab"};
  const auto report = judged::golden_report({golden_result("q/a", 1)}, settings);
  const std::string version = "1.2.3+0123456789ab";
  const auto checks = judged::golden_checks(report);
  EXPECT_EQ(parse_json_lines(machine::json_lines(checks)).at(0)["corpus"], version);
  const json sarif = json::parse(machine::sarif(checks));
  EXPECT_THAT(support::report::sarif_violations(sarif.dump()), IsEmpty());
  EXPECT_EQ(sarif["runs"][0]["properties"]["corpus"], version);
  const auto document = document_of(report);
  const auto property =
      document.child("testsuites").child("testsuite").child("properties").child("property");
  EXPECT_STREQ(property.attribute("name").value(), "corpus");
  EXPECT_EQ(property.attribute("value").value(), version);
}

TEST(GoldenReportFiles, JUnitCountsMatchTheReport) {
  const auto report = golden_sample_report();
  const auto document = document_of(report);
  const auto suite = document.child("testsuites").child("testsuite");
  EXPECT_STREQ(suite.attribute("tests").value(), "6");
  EXPECT_STREQ(suite.attribute("failures").value(), "3");
  EXPECT_STREQ(suite.attribute("skipped").value(), "2");
  std::size_t failures = 0, skipped = 0, index = 0;
  for (const auto test : suite.children("testcase")) {
    EXPECT_STREQ(test.attribute("classname").value(), "normproof.golden.layer_norm");
    EXPECT_EQ(test.attribute("name").value(), report.cases[index++].result.description.path);
    failures += test.child("failure") ? 1 : 0;
    skipped += test.child("skipped") ? 1 : 0;
  }
  EXPECT_EQ(index, 6u);
  EXPECT_EQ(failures, 3u);
  EXPECT_EQ(skipped, 2u);
  const auto message_of_skipped = [&](const char* name) {
    const auto test = suite.find_child_by_attribute("name", name);
    return std::string(test.child("skipped").attribute("message").value());
  };
  EXPECT_EQ(message_of_skipped("q/d_known"), "failed, as listed");
  EXPECT_EQ(message_of_skipped("q/f_declined"), "declined: the candidate does not offer it");
  const auto failure = suite.find_child_by_attribute("name", "q/b_fails").child("failure");
  EXPECT_THAT(failure.attribute("message").value(), StartsWith("y at [0, 3]: got nan"));
  EXPECT_THAT(failure.text().get(),
              AllOf(HasSubstr("\ngrad_x is absent\n"),
                    HasSubstr("repro: normproof golden check --golden g --candidate c --only "
                              "q/b_fails")));
  EXPECT_STREQ(suite.find_child_by_attribute("name", "q/e_mended")
                   .child("failure")
                   .attribute("message")
                   .value(),
               "passed, though it is listed as failing");
}

TEST(GoldenReportFiles, SarifHasOneResultPerFailedOutput) {
  const std::string text = machine::sarif(judged::golden_checks(golden_sample_report()));
  EXPECT_THAT(support::report::sarif_violations(text), IsEmpty());
  const json sarif = json::parse(text);
  std::vector<std::string> rules;
  for (const json& result : sarif["runs"][0]["results"]) {
    rules.push_back(result["ruleId"]);
    const bool declined = rules.back() == "layer_norm/declined";
    EXPECT_EQ(result["kind"], declined ? "notApplicable" : "fail");
    EXPECT_EQ(result["level"], declined ? "none" : "error");
    const std::string uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    EXPECT_TRUE(uri.starts_with("g/") && uri.ends_with("/case.json")) << uri;
    const std::string path = uri.substr(2, uri.rfind('/') - 2);
    EXPECT_THAT(result["message"]["text"].get<std::string>(),
                AllOf(StartsWith(path + ": "), HasSubstr(" (repro: ")));
  }
  EXPECT_EQ(rules,
            (std::vector<std::string>{"layer_norm/y", "layer_norm/grad_x", "layer_norm/no-answer",
                                      "layer_norm/unexpected-pass", "layer_norm/declined"}));
}

TEST(GoldenReportFiles, TextFromACandidateIsEscapedInEveryFormat) {
  auto result = golden_result_with_problem("q/a");
  result.problem = "it said \"\x01<b>\xff\n]]>\"";
  auto command = golden_check_command();
  command.candidate.reset();
  command.pipe = "printf '\x02\n<&>'";
  const auto report = golden_report({result}, command, "");
  const json line = parse_json_lines(machine::json_lines(judged::golden_checks(report))).at(0);
  EXPECT_EQ(line["problem"], "it said \" <b>\xef\xbf\xbd ]]>\"");
  const std::string sarif = machine::sarif(judged::golden_checks(report));
  EXPECT_EQ(json::parse(sarif)["runs"][0]["results"].size(), 1u);
  const auto document = document_of(report);
  const auto failure =
      document.child("testsuites").child("testsuite").child("testcase").child("failure");
  EXPECT_EQ(failure.attribute("message").value(), line["problem"].get<std::string>());
  for (const std::string& text : {machine::terminal_text(judged::golden_document(report)),
                                  machine::markdown(judged::golden_job_summary(report)), sarif})
    EXPECT_EQ(text.find_first_of("\x01\x02\xff"), std::string::npos);
}

}  // namespace
}  // namespace normproof::tests::verification::golden::reports
