#include "verification/support/report/sarif.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/support/report/sample_checks.hpp"
#include "tests/verification/support/report/schema_rules.hpp"

namespace normproof::tests::verification::support::report {
namespace {

using namespace normproof::verification::support::report;
using nlohmann::json;
using testing::IsEmpty;

TEST(Sarif, ObeysTheRulesOfTheSchema) {
  EXPECT_THAT(sarif_violations(sarif(sample_checks())), IsEmpty());
  EXPECT_THAT(sarif_violations(sarif({})), IsEmpty());
}

TEST(Sarif, HasOneResultPerFindingWithARule) {
  const json run = json::parse(sarif(sample_checks()))["runs"][0];
  std::vector<std::string> rules, kinds;
  for (const json& result : run["results"]) {
    rules.push_back(result["ruleId"]);
    kinds.push_back(result["kind"]);
  }
  EXPECT_EQ(rules, (std::vector<std::string>{"a/y", "a/x", "a/y", "b/threw", "b/declined"}));
  EXPECT_EQ(kinds, (std::vector<std::string>{"fail", "fail", "fail", "fail", "notApplicable"}));
  EXPECT_EQ(run["tool"]["driver"]["rules"].size(), 4u);
}

TEST(Sarif, ResultStatesTheFindingItsLocationAndTheReproCommand) {
  const json results = json::parse(sarif(sample_checks()))["runs"][0]["results"];
  EXPECT_EQ(results[0]["message"]["text"],
            "fails <&\"'>: y is   2 > 1; as of \xef\xbf\xbd (repro: redo --only 'fails')");
  const json place = results[0]["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "quick/a%20b/%C3%BC.json");
  EXPECT_EQ(place["region"]["startLine"], 7);
  EXPECT_EQ(results[0]["level"], "error");
  EXPECT_EQ(results[2]["message"]["text"], "fails again: y is absent");
  EXPECT_TRUE(results[2]["locations"].empty());
  EXPECT_EQ(results[4]["level"], "none");
}

}  // namespace
}  // namespace normproof::tests::verification::support::report
