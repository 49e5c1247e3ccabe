#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "tests/verification/cli/program_run.hpp"
#include "tests/verification/support/report/schema_rules.hpp"

// Runs `normproof golden relations` on a candidate that returns y = x.
namespace normproof::tests::verification::cli::golden {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class GoldenRelations : public ::testing::Test {
 protected:
  GoldenRelations() : enter_("cd '" + folder_.path().string() + "'; ") {
    EXPECT_EQ(in("$N golden make --out g --only 'quick/layer_norm/one_*32'").status, 0);
    // The candidate returns y = x, so that each element of y depends on one element of x only.
    write_file(folder_ / "copy",
               "while read -r path op mode rest; do\n"
               "  for word in $rest; do case $word in x:*) line=\"$path y:${word#x:}\"; on=1;;\n"
               "    *:*) on=;; *) [ -n \"$on\" ] && line=\"$line $word\";; esac; done\n"
               "  [ -n \"$WORSE\" ] && n=$((n+1)) && line=\"$path y:float32:1 $n\"\n"
               "  echo \"$line\"; done\n");
  }

  Outcome in(const std::string& command) const { return run(enter_ + command); }
  Outcome run_golden_relations(const std::string& more = "") const {
    return in("$N golden relations --golden g --pipe 'sh copy' " + more);
  }

  tests::ref::io::TemporaryFolder folder_;
  std::string enter_;
};

TEST_F(GoldenRelations, CountsRelationsThatHold) {
  const Outcome outcome = run_golden_relations("--json j --junit x");
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, AllOf(StartsWith("relation   held  broken  does not apply  declined\n"
                                            "repeat        3       0               0         0\n"),
                                 HasSubstr("split         2       0               1         0\n"),
                                 EndsWith("PASSED: 12 of 12 relations hold, 3 cases\n")));
  EXPECT_EQ(in("wc -l < j").out, "15\n");
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(in("cat x").out.c_str()));
  const auto suite = document.child("testsuites").child("testsuite");
  EXPECT_EQ(suite.attribute("tests").as_int(), 15);
  EXPECT_EQ(suite.attribute("failures").as_int(), 0);
  EXPECT_EQ(suite.attribute("skipped").as_int(), 3);
}

TEST_F(GoldenRelations, BrokenRelationHasItsReproCommand) {
  const Outcome outcome = in(
      "export WORSE=1; $N golden relations --golden g --pipe 'sh copy' --relations repeat --only "
      "'*/one_row-*' --timeout 7 --json j");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(
      outcome.out,
      AllOf(HasSubstr(
                "BROKEN quick/layer_norm/one_row-1x6-float32: repeat\n  y at [0] is 1, and 2 the "
                "second time\n"),
            HasSubstr("\n  repro: normproof golden relations --golden g --pipe 'sh copy' --timeout "
                      "7 --relations repeat --only quick/layer_norm/one_row-1x6-float32\n"),
            EndsWith(
                "FAILED: 0 of 1 relation hold, 1 case; expected 1 relation or more that holds\n")));
  const auto line = nlohmann::json::parse(in("cat j").out);
  EXPECT_EQ(line.at("outcome"), "broken");
  EXPECT_THAT(line.at("repro").get<std::string>(), HasSubstr("--relations repeat"));
}

TEST_F(GoldenRelations, FailsIfNoRelationApplies) {
  const Outcome outcome = run_golden_relations("--relations split --only '*/one_row-*'");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(
      outcome.out,
      EndsWith("FAILED: 0 of 0 relations hold, 1 case; expected 1 relation or more that holds\n"));
}

TEST_F(GoldenRelations, DeclinedCaseIsCountedAsDeclined) {
  const Outcome outcome =
      in("$N golden relations --golden g --relations repeat --json j --junit x --pipe "
         "'while read -r path rest; do echo $path not_offered; done'");
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(
      outcome.out,
      AllOf(HasSubstr("repeat       0       0               0         3\n"),
            EndsWith(
                "FAILED: 0 of 0 relations hold, 3 cases; 3 relations declined; expected 1 relation "
                "or more that holds\n")));
  EXPECT_THAT(in("head -n 1 j").out, HasSubstr("\"outcome\":\"declined\""));
  const std::string junit = in("cat x").out;
  EXPECT_THAT(support::report::junit_violations(junit), testing::IsEmpty());
  EXPECT_THAT(junit, AllOf(HasSubstr("tests=\"4\" failures=\"1\" errors=\"0\" skipped=\"3\""),
                           HasSubstr("message=\"the case is declined\"")));
}

TEST_F(GoldenRelations, RejectsMissingAndUnknownArguments) {
  for (const auto& [arguments, sentence] :
       {std::pair{"--golden g",
                  "--pipe is required; expected CMD: A command that reads one line per case"},
        std::pair{"--golden g --pipe cat --relations halves", "unknown relation 'halves'"},
        std::pair{"--golden g --pipe cat --relations split,split",
                  "--relations names split twice; expected once"},
        std::pair{"--golden g --pipe cat --only nothing", "--only 'nothing' names no case"}}) {
    const Outcome outcome = in(std::string("$N golden relations ") + arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_TRUE(is_one_sentence(outcome.err)) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(sentence));
  }
}

}  // namespace
}  // namespace normproof::tests::verification::cli::golden
