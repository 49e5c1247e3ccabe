#include "verification/cli/golden/golden_injection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/verification/cli/program_run.hpp"
#include "verification/support/report/markdown.hpp"

namespace normproof::verification::cli::golden {
namespace {

using normproof::tests::verification::cli::Outcome;
using normproof::tests::verification::cli::run;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

normproof::verification::golden::gate::InjectionResult two_injection_results() {
  normproof::verification::golden::gate::InjectionResult planted;
  planted.of["0"] = {.elements = 1200, .refused = 1190, .right = 7, .within = 2, .unjudged = 1};
  planted.of["NaN"] = {.elements = 1200, .refused = 1200};
  return planted;
}

TEST(InjectedValuesReport, IsWrittenAsALineATableAndJson) {
  EXPECT_EQ(
      injection_text(two_injection_results().total()),
      "2,400 values, each in the place of one element: 2,390 refused, 7 right there, 2 within "
      "the bound, 1 not judged");
  EXPECT_THAT(support::report::markdown(
                  support::report::Document{"", {injection_table(two_injection_results())}}),
              AllOf(HasSubstr("\n| 0 | 1200 | 1190 | 7 | 2 | 1 |\n"),
                    HasSubstr("\n| NaN | 1200 | 1200 | 0 | 0 | 0 |\n"),
                    HasSubstr("\n| all | 2400 | 2390 | 7 | 2 | 1 |\n")));
  EXPECT_EQ(injection_json(two_injection_results()).at("0").dump(),
            R"({"elements":1200,"refused":1190,"right":7,"within":2,"unjudged":1})");
}

TEST(InjectedValuesReport, TableIsTheSameIfMutatedImplementationsRunToo) {
  const Outcome alone = run("$N golden power --planted --layer log_sum_exp"),
                beside = run("$N golden power --layer log_sum_exp");
  ASSERT_EQ(alone.status, 0) << alone.err;
  ASSERT_EQ(beside.status, 0) << beside.err;
  EXPECT_THAT(alone.out, StartsWith("| in the place of each element | elements | refused |"));
  const std::string table = alone.out.substr(0, alone.out.find("\n\n"));
  EXPECT_THAT(table, HasSubstr("\n| all | "));
  EXPECT_THAT(beside.out, HasSubstr(table));
  EXPECT_THAT(alone.out,
              AllOf(ContainsRegex("\nPASSED: [0-9]+ cases, "),
                    HasSubstr(" 0 not judged; tier quick"), Not(HasSubstr("false alarm"))));
}

TEST(InjectedValuesReport, ElementsWithoutABoundAreNotJudgedAndFail) {
  const Outcome outcome = run("$N golden power --planted --formula one_pass --layer layer_norm");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, AllOf(ContainsRegex("\nFAILED: [0-9]+ cases, "),
                                 Not(HasSubstr(" 0 not judged")), HasSubstr("not refused: ")));
}

}  // namespace
}  // namespace normproof::verification::cli::golden
