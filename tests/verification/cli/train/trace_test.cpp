#include "verification/cli/train/trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/verification/cli/parsed.hpp"
#include "tests/verification/cli/program_run.hpp"

// Runs `normproof trace`, and tests the text that it prints.
namespace normproof::tests::verification::cli::train {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kTiny =
    " --set encoder.d_model=4 --set encoder.num_heads=2 --set encoder.d_ff=3 "
    "--set training.batch_size=2 --threads 2 ";

class TraceProgram : public ::testing::Test {
 protected:
  TraceProgram() : enter_("cd '" + folder_.path().string() + "'; ") {}
  Outcome in(const std::string& command) const { return run(enter_ + command); }
  Outcome trace(const std::string& more) const { return in("$N trace" + (kTiny + more)); }

  tests::ref::io::TemporaryFolder folder_;
  std::string enter_;
};

TEST(TraceOptions, ParsesEveryOption) {
  const auto trace = parse_command<tool::train::TraceCommand>(
      {"--out", "o", "--steps", "20", "--certified", "--format", "npz", "--threads", "3",
       "--config", "c", "--weights", "w", "--json"});
  EXPECT_EQ(trace.out, "o");
  EXPECT_EQ(trace.steps, 20u);
  EXPECT_TRUE(trace.certified);
  EXPECT_EQ(trace.suffix, ".npz");
  EXPECT_EQ(trace.threads, 3);
  EXPECT_EQ(trace.source.config, "c");
  EXPECT_EQ(trace.weights, "w");
  EXPECT_TRUE(trace.reports.json_on_stdout);
  EXPECT_EQ(parse_command<tool::train::TraceCommand>({"--out", "o"}).suffix, ".safetensors");
}

TEST(TraceOptions, ErrorsNameMissingAndInvalidOptions) {
  EXPECT_THAT(refusal<tool::train::TraceCommand>({}), HasSubstr("--out is required"));
  EXPECT_THAT(refusal<tool::train::TraceCommand>({"--out", "o", "--steps", "0"}),
              HasSubstr("--steps is '0'"));
  EXPECT_THAT(refusal<tool::train::TraceCommand>({"--out", "o", "--format", "np"}),
              HasSubstr("did you mean 'npz'?"));
}

TEST_F(TraceProgram, WritesTheSameStepsAsATrainingRun) {
  const Outcome outcome = trace("--out t --steps 2 --format npz");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(
      outcome.out,
      AllOf(
          StartsWith("synthetic corpus: 2 steps, "), HasSubstr("\nsha256 "),
          EndsWith("t: config.json, data.json, initial.npz, manifest.json, 2 files of a step\n")));
  EXPECT_EQ(in("ls t").out,
            "config.json\ndata.json\ninitial.npz\nmanifest.json\nstep_0001.npz\nstep_0002.npz\n");
  // The second traced step must equal the second line of a training run.
  in("$N train" + (kTiny + std::string("--out r --set training.epochs=1")));
  const auto line = nlohmann::json::parse(in("sed -n 2p r/metrics.jsonl").out);
  EXPECT_THAT(outcome.out, HasSubstr("sha256 " + line.at("sha256").get<std::string>()));
}

TEST_F(TraceProgram, CertifiedTraceReportsTheErrorOfTheDoubles) {
  const Outcome outcome = trace("--out t --steps 2 --certified --json");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const auto report = nlohmann::json::parse(outcome.out);
  EXPECT_GE(report.at("certified").at("bits"), 2048);
  ASSERT_EQ(report.at("steps").size(), 2u);
  const auto manifest = nlohmann::json::parse(in("cat t/manifest.json").out);
  EXPECT_EQ(manifest.at("steps"), report.at("steps"));
  EXPECT_EQ(manifest.at("certified"), report.at("certified"));
  const auto relative = [&](std::size_t step) {
    return report.at("steps")[step].at("distance").at("parameters").at("relative").get<double>();
  };
  EXPECT_GT(relative(0), 0);
  EXPECT_EQ(report.at("growth"), relative(1) / relative(0));
  EXPECT_THAT(trace("--out u --certified").out,
              AllOf(HasSubstr(" certified with "), HasSubstr("of params")));
}

TEST_F(TraceProgram, UncertifiedTracePrintsALossThatReadsBackBitForBit) {
  const auto report = nlohmann::json::parse(trace("--out t --json").out);
  EXPECT_TRUE(report.at("certified").is_null());
  EXPECT_TRUE(nlohmann::json::parse(in("cat t/manifest.json").out).at("certified").is_null());
  const std::string loss =
      in("$N trace" + (kTiny + std::string("--out u | sed -n 's/^ *1  *//p'"))).out;
  EXPECT_EQ(std::stod(loss), report.at("steps").at(0).at("loss").get<double>()) << loss;
}

TEST_F(TraceProgram, EachErrorIsReportedInOneSentence) {
  in("mkdir full && touch full/x");
  for (const auto& [arguments, status, sentence] :
       std::initializer_list<std::tuple<const char*, int, const char*>>{
           {"--out full", 2, "--out"},
           {"--out t --set training.learning_rate=-1", 2, "learning_rate"},
           {"--out t --set encoder.dropout=1", 2, "expected a number from 0 on, below 1\n"},
           {"--out t --config absent.json", 3, "absent.json"}}) {
    const Outcome outcome = trace(arguments);
    EXPECT_EQ(outcome.status, status) << arguments << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(sentence)) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
  }
  EXPECT_EQ(in("ls").out, "full\n");
}

TEST(TraceText, ZeroTensorHasNoRelativeError) {
  ::normproof::verification::training::TraceSummary summary;
  summary.bits = 2048;
  summary.steps.emplace_back();
  summary.steps.back().gradients.absolute = 1e-18;
  EXPECT_THAT(::normproof::verification::cli::train::trace_text({}, "c", summary),
              ContainsRegex(" 0 +- +0 "));
  const auto distance = steps_json(summary).at(0).at("distance");
  EXPECT_TRUE(distance.at("gradients").at("relative").is_null());
  EXPECT_EQ(distance.at("gradients").at("absolute"), 1e-18);
  EXPECT_EQ(distance.at("parameters").at("relative"), 0);
}

TEST(TraceText, ErrorGrowthIsTheMeanFactorPerStep) {
  ::normproof::verification::training::TraceSummary summary;
  summary.bits = 2048;
  for (const double relative : {0x1p-50, 0x1p-48, 0x1p-44}) {
    summary.steps.emplace_back();
    summary.steps.back().parameters.relative = relative;
  }
  EXPECT_THAT(::normproof::verification::cli::train::trace_text({}, "c", summary),
              HasSubstr("grows 8-fold a step"));
}

}  // namespace
}  // namespace normproof::tests::verification::cli::train
