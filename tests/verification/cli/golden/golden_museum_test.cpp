#include "verification/cli/golden/golden_museum.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "ref/io/atomic_file.hpp"
#include "tests/verification/cli/program_run.hpp"

namespace normproof::verification::cli::golden {
namespace {

using normproof::verification::golden::museum::Exhibit;
using normproof::verification::golden::museum::Tier;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

std::vector<ExhibitResult> two_exhibit_results() {
  const Exhibit exhibit{
      "planted", "owner/project#7", "a sum is short", "odd extents", "softmax", std::nullopt, {}};
  ExhibitResult found{exhibit};
  found.case_path = "quick/softmax/odd-13x17-float32";
  found.named = "a sum: without its last term";
  ExhibitResult missed{exhibit};
  missed.exhibit.name = "hidden";
  missed.cases = 3;
  missed.closest = 0.25;
  return {found, missed};
}

TEST(BugMuseum, ReportsFoundAndMissedBugs) {
  const std::vector<ExhibitResult> visits = two_exhibit_results();
  EXPECT_EQ(
      known_bugs_text(visits),
      "found  planted (owner/project#7): quick/softmax/odd-13x17-float32, named 'a sum: without "
      "its last term'\n"
      "MISSED hidden (owner/project#7): missed by 3 cases; the largest share of a bound is "
      "0.25\n"
      "1 of 2 exhibits found; 1 named rightly, 1 without a name, 0 named wrongly\n");
  EXPECT_FALSE(are_bugs_found_and_named(visits));
  EXPECT_TRUE(are_bugs_found_and_named({visits[0]}));
  const auto json = nlohmann::json::parse(known_bugs_json(visits, Tier::quick));
  EXPECT_EQ(json.at("found"), 1);
  EXPECT_EQ(json.at("exhibits").at(0).at("found_by"), "quick/softmax/odd-13x17-float32");
  EXPECT_EQ(json.at("exhibits").at(1).at("found"), false);
  EXPECT_THAT(
      known_bugs_markdown(visits, Tier::standard),
      AllOf(StartsWith("# Museum\n"), HasSubstr("--museum --tier standard --markdown"),
            HasSubstr("| planted | owner/project#7 | softmax | any | a sum is short | odd "
                      "extents | quick/softmax/odd-13x17-float32 | a sum: without its last term |"),
            HasSubstr("1 of 2 exhibits found")));
}

TEST(BugMuseum, FailsIfAnyNameIsWrong) {
  ExhibitResult visit = two_exhibit_results()[0];
  visit.wrong_names = {"a product (quick/softmax/odd-13x17-float32)"};
  EXPECT_FALSE(are_bugs_found_and_named({visit}));
  EXPECT_THAT(known_bugs_text({visit}),
              AllOf(HasSubstr("named 'WRONG: a product (quick/softmax/odd-13x17-float32)'"),
                    EndsWith("0 named rightly, 0 without a name, 1 named wrongly\n")));
}

}  // namespace
}  // namespace normproof::verification::cli::golden

namespace normproof::tests::verification::cli::golden {
namespace {

using testing::HasSubstr;

TEST(BugMuseum, DocumentEqualsTheOutputOfTheProgram) {
  const tests::ref::io::TemporaryFolder folder;
  const std::string markdown = (folder / "museum.md").string();
  const Outcome outcome = run("$N golden power --museum --markdown '" + markdown + "'");
  EXPECT_EQ(outcome.err, "");
  const std::string document = normproof::ref::io::read_text(std::string(NORMPROOF_SOURCE_DIR) +
                                                             "/docs/generated/museum.md");
  EXPECT_EQ(normproof::ref::io::read_text(markdown), document)
      << "normproof golden power --museum --markdown docs/generated/museum.md";
  const std::string last = outcome.out.substr(outcome.out.rfind('\n', outcome.out.size() - 2) + 1);
  EXPECT_THAT(last,
              testing::MatchesRegex("[0-9]+ of [0-9]+ exhibits found; [0-9]+ named rightly, [0-9]+ "
                                    "without a name, 0 named wrongly\n"));
  EXPECT_THAT(document, HasSubstr("\n" + last));
  EXPECT_EQ(outcome.status, outcome.out.find("\nMISSED ") == std::string::npos ? 0 : 1);
}

TEST(BugMuseum, RejectsOptionsThatAreOnlyForCorrectImplementations) {
  for (const char* other : {"--seeds 2", "--accumulation bfloat16", "--formula one_pass"}) {
    const Outcome outcome = run(std::string("$N golden power --museum ") + other);
    EXPECT_EQ(outcome.status, 2) << other;
    EXPECT_THAT(outcome.err, HasSubstr("--museum and --"));
  }
}

}  // namespace
}  // namespace normproof::tests::verification::cli::golden
