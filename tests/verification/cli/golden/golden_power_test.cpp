#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "ref/io/atomic_file.hpp"
#include "tests/verification/cli/parsed.hpp"
#include "tests/verification/cli/program_run.hpp"
#include "verification/cli/golden/golden_power.hpp"

// Runs `normproof golden power` and `golden export`.
namespace normproof::tests::verification::cli::golden {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

TEST(GateDetectionPower, PrintsTheScoreAndWritesEveryVerdict) {
  const tests::ref::io::TemporaryFolder folder;
  const std::string verdicts = (folder / "power.json").string(),
                    markdown = (folder / "power.md").string();
  const Outcome outcome = run("$N golden power --layer group_scaling --json '" + verdicts +
                              "' --markdown '" + markdown + "'");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, AllOf(StartsWith("| layer | cases | wrong |"), HasSubstr("\n| all | "),
                                 HasSubstr("\nPASSED: "), EndsWith("tier quick, 1 corpus\n")));
  const auto verdicts_json = nlohmann::json::parse(normproof::ref::io::read_text(verdicts));
  const auto& layer = verdicts_json.at("layers").at(0);
  EXPECT_EQ(layer.at("layer"), "group_scaling");
  EXPECT_TRUE(layer.at("false_alarms").empty());
  for (const auto& verdict : layer.at("wrong")) {
    EXPECT_EQ(verdict.at("rejected"), 1) << verdict;
    EXPECT_THAT(verdict.at("first_rejected_by").get<std::string>(),
                StartsWith("quick/group_scaling/"));
  }
  const std::string text = normproof::ref::io::read_text(markdown);
  EXPECT_THAT(text, AllOf(StartsWith("# Gate power\n"), HasSubstr(outcome.out),
                          HasSubstr("| group_scaling | eps: dropped | quick/group_scaling/")));
}

TEST(GateDetectionPower, DocumentHasTheRowsThatTheProgramPrints) {
  const std::string document = normproof::ref::io::read_text(std::string(NORMPROOF_SOURCE_DIR) +
                                                             "/docs/generated/gate_power.md");
  const Outcome outcome = run("$N golden power --layer scale_norm");
  ASSERT_EQ(outcome.status, 0);
  // Leaves out the last numbers of the row, because the document is of more corpora.
  const std::size_t begin = outcome.out.find("| scale_norm | "),
                    end = outcome.out.find(" | 0 | ", begin);
  ASSERT_NE(begin, std::string::npos);
  EXPECT_THAT(document, HasSubstr(outcome.out.substr(begin, end - begin)));
}

TEST(GateDetectionPower, AcceptsOtherNamesOfLayersAndFormats) {
  const auto parsed = parse_command<tool::golden::GoldenDetectionPowerCommand>(
      {"--layer", "LayerNorm", "--accumulation", "bf16"});
  EXPECT_EQ(parsed.options.only, "layer_norm");
  EXPECT_EQ(parsed.options.accumulation,
            normproof::verification::golden::corpus::Accumulation::bfloat16);
  EXPECT_EQ(
      parse_command<tool::golden::GoldenDetectionPowerCommand>({"--layer", "*_norm"}).options.only,
      "*_norm");
}

TEST(GateDetectionPower, RejectsUnknownLayersAndTiers) {
  for (const auto& [arguments, sentence] :
       {std::pair{"--layer layer_nrom", "unknown layer 'layer_nrom'; did you mean 'layer_norm'?"},
        std::pair{"--tier slow", "unknown tier 'slow'"},
        std::pair{"--seeds 0", "--seeds is '0'; expected a whole number from 1 to 10000"}}) {
    const Outcome outcome = run(std::string("$N golden power ") + arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_THAT(outcome.err, HasSubstr(sentence));
    EXPECT_EQ(outcome.out, "");
  }
}

}  // namespace
}  // namespace normproof::tests::verification::cli::golden
