#include "verification/cli/golden/golden_coverage.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "ref/io/atomic_file.hpp"
#include "tests/verification/cli/program_run.hpp"

namespace normproof::tests::verification::cli::golden {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

const std::string kSource = NORMPROOF_SOURCE_DIR;

TEST(GoldenCoverage, DocumentEqualsTheOutputOfTheProgram) {
  const tests::ref::io::TemporaryFolder folder;
  const std::string markdown = (folder / "coverage.md").string();
  const Outcome outcome =
      run("$N golden coverage --tier quick,standard --markdown '" + markdown + "'");
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.status, 0);
  const std::string document =
      normproof::ref::io::read_text(kSource + "/docs/generated/coverage.md");
  EXPECT_EQ(normproof::ref::io::read_text(markdown), document)
      << "normproof golden coverage --tier quick,standard --markdown docs/generated/coverage.md";
  EXPECT_TRUE(document.ends_with(outcome.out));
}

TEST(GoldenCoverage, CommittedCasesAreThoseOfTheRecipes) {
  const Outcome made = run("$N golden coverage");
  const Outcome committed =
      run("$N golden coverage --golden '" + kSource + "/verification/golden'");
  EXPECT_EQ(committed.status, 0) << committed.err;
  EXPECT_EQ(made.out, committed.out);
  EXPECT_THAT(made.out, AllOf(StartsWith("## What no case touches\n"),
                              HasSubstr("\n## layer_norm\n\n| of | quick |\n")));
}

TEST(GoldenCoverage, WritesJson) {
  const tests::ref::io::TemporaryFolder folder;
  const std::string file = (folder / "coverage.json").string();
  EXPECT_EQ(run("$N golden coverage --json '" + file + "'").status, 0);
  const auto written = nlohmann::json::parse(normproof::ref::io::read_text(file));
  const auto& softmax = written.at("tiers").at("quick").at("softmax");
  EXPECT_EQ(softmax.at("extents").at("features").front(), 1);
  EXPECT_GT(softmax.at("inputs").at("valid").at("given"), 0);
  EXPECT_EQ(written.at("tiers").size(), 1u);
  bool found = false;
  for (const auto& hole : written.at("not_touched"))
    found |= hole.at("operation") == "rope" && hole.at("end") == "features <= 1" &&
             hole.at("why") == "a pair is two features";
  EXPECT_TRUE(found);
}

TEST(GoldenCoverage, RejectsAReportInsideTheCorpus) {
  const std::string corpus = kSource + "/verification/golden/data";
  const Outcome outcome =
      run("$N golden coverage --golden '" + corpus + "' --json '" + corpus + "/coverage.json'");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("expected a file elsewhere"));
  EXPECT_FALSE(std::filesystem::exists(corpus + "/coverage.json"));
}

TEST(GoldenCoverage, RejectsACorpusWithoutTheTier) {
  const Outcome outcome =
      run("$N golden coverage --tier full --golden '" + kSource + "/verification/golden'");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err,
              HasSubstr("has no case of tier full; expected --tier quick, which it has"));
}

}  // namespace
}  // namespace normproof::tests::verification::cli::golden
