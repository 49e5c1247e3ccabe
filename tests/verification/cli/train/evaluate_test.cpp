#include "verification/cli/train/evaluate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/cli/parsed.hpp"
#include "tests/verification/cli/program_run.hpp"

// Runs `normproof train --task language`, `normproof evaluate` and `normproof complete` on the
// made-up text.
namespace normproof::tests::verification::cli::train {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class LanguageProgram : public ::testing::Test {
 protected:
  LanguageProgram() : enter_("cd '" + folder_.path().string() + "'; ") {}
  Outcome in(const std::string& command) const { return run(enter_ + command); }
  Outcome train(const std::string& more) const {
    return in(
        "$N train --task language --set encoder.d_model=8 --set encoder.d_ff=8 --set "
        "encoder.num_heads=2 --set encoder.num_layers=1 --set training.epochs=1 " +
        more);
  }

  tests::ref::io::TemporaryFolder folder_;
  std::string enter_;
};

TEST(EvaluateOptions, ParsesRunTextAndPart) {
  using tool::train::EvaluateCommand, tool::train::TextPart;
  const auto evaluate = parse_command<EvaluateCommand>(
      {"--run", "r", "--data", "d", "--part", "whole", "--threads", "2"});
  EXPECT_EQ(evaluate.folder, "r");
  EXPECT_EQ(evaluate.data, "d");
  EXPECT_EQ(evaluate.part, TextPart::whole);
  EXPECT_EQ(parse_command<EvaluateCommand>({"--run", "r"}).part, TextPart::test);
  EXPECT_EQ(parse_command<EvaluateCommand>({"--run", "r"}).average, 1u);
  EXPECT_EQ(parse_command<EvaluateCommand>({"--run", "r", "--average", "5"}).average, 5u);
  EXPECT_THAT(refusal<EvaluateCommand>({"--run", "r", "--average", "0"}),
              HasSubstr("--average is '0'; expected a whole number from 1 to 1000"));
  const auto pairs = parse_command<EvaluateCommand>(
      {"--run", "r", "--data", "d", "--source", "ja", "--target", "en", "--beam", "4"});
  EXPECT_EQ(pairs.languages.source, "ja");
  EXPECT_EQ(pairs.languages.target, "en");
  EXPECT_EQ(pairs.search.beam, 4u);
  EXPECT_THAT(refusal<EvaluateCommand>({}), HasSubstr("--run is required"));
  EXPECT_THAT(refusal<EvaluateCommand>({"--run", "r", "--part", "tests"}),
              HasSubstr("did you mean 'test'?"));
}

TEST_F(LanguageProgram, TrainsEvaluatesAndCompletesWithTheSameBitsOnAnyThreads) {
  const Outcome outcome = train("--out a --threads 1");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(StartsWith("synthetic text: "), HasSubstr("bits per character ")));
  // The hash of the trained state is the same with every compiler and processor.
  EXPECT_THAT(
      outcome.out,
      EndsWith("sha256 4e0123b698fef69d65f058e41538c596de1c88dd1702220ce4bb07487ebccb80\n"));
  EXPECT_EQ(train("--out b --threads 3").out, outcome.out);
  EXPECT_EQ(in("diff -r a b").out, "");
  EXPECT_EQ(in("ls a").out,
            "checkpoint.safetensors\nconfig.json\ndata.json\nmetrics.jsonl\npage.html\n");

  const Outcome test = in("$N evaluate --run a --threads 1");
  EXPECT_EQ(test.status, 0) << test.err;
  EXPECT_THAT(test.out, AllOf(StartsWith("synthetic text: step "), HasSubstr(", perplexity ")));
  EXPECT_EQ(in("$N evaluate --run a --threads 3").out, test.out);
  EXPECT_NE(in("$N evaluate --run a --part validation").out, test.out);
  // The validation loss of the run must equal the loss that `normproof evaluate` prints for the
  // validation part.
  const std::string loss = outcome.out.substr(outcome.out.find("validation loss ") + 16, 6);
  const Outcome validation =
      in("$N evaluate --run a --part validation | grep -o 'loss [0-9.]*' | "
         "cut -c6-11");
  // Both losses are printed with four digits after the point. One is truncated, the other is
  // rounded.
  constexpr double kPrintedLossTolerance = 1e-4;
  EXPECT_NEAR(std::stod(validation.out), std::stod(loss), kPrintedLossTolerance);

  const Outcome completed = in("$N complete --run a --prompt 'the old ' --length 30");
  EXPECT_EQ(completed.status, 0) << completed.err;
  EXPECT_THAT(completed.out, StartsWith("the old "));
  EXPECT_GE(completed.out.size(), 8u + 30 + 1);
}

TEST_F(LanguageProgram, EvaluatesTheMeanOfTheLastCheckpoints) {
  const Outcome outcome =
      train("--set training.keep_checkpoints=3 --checkpoint-every 10 --out a --threads 1");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const Outcome last = in("$N evaluate --run a"), mean = in("$N evaluate --run a --average 3");
  EXPECT_EQ(mean.status, 0) << mean.err;
  EXPECT_THAT(mean.out, StartsWith("synthetic text: the mean of 3 checkpoints up to step "));
  EXPECT_NE(mean.out.substr(mean.out.find("loss ")), last.out.substr(last.out.find("loss ")));
  const Outcome too_many = in("$N evaluate --run a --average 4");
  EXPECT_EQ(too_many.status, 3);
  EXPECT_TRUE(is_one_sentence(too_many.err)) << too_many.err;
  EXPECT_THAT(too_many.err, HasSubstr("a: keeps 3 checkpoints; expected 4 or more"));
  EXPECT_EQ(in("$N complete --run a --prompt 'the ' --length 9 --average 3").status, 0);
  EXPECT_EQ(in("$N complete --run a --prompt 'the ' --length 9 --average 4").err, too_many.err);
}

TEST_F(LanguageProgram, ReportsErrors) {
  train("--out a");
  write_file(folder_ / "t", "the \xff");
  write_file(folder_ / "u", "THE OLD MILLER");
  const auto refused = [&](const std::string& command, int status, const std::string& what) {
    const Outcome outcome = in(command);
    EXPECT_EQ(outcome.status, status) << command;
    EXPECT_TRUE(is_one_sentence(outcome.err)) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(what));
  };
  refused("$N evaluate --run a --data t", 3, "t:1: has the bytes");
  refused("$N evaluate --run a --data u", 3, "u:1: has the character \"T\"; expected one of");
  refused("$N evaluate --run a --data absent", 3, "absent: does not exist");
  refused("$N evaluate --run nowhere", 3, "nowhere/config.json");
  refused("mkdir k; echo '{}' > k/config.json; echo '{}' > k/data.json; $N evaluate --run k", 2,
          "the run in k has the task classify; expected language or translate");
  refused(
      "$N complete --run a --prompt XYZ", 2,
      "--prompt has the character 'X', which the model was not trained with; expected characters "
      "of '  .abcdefghiklmnopqrstuvwy'");
  refused("$N train --task language --out b --vocab v", 2, "--vocab is given");
  refused("$N train --task language --out b --set norm.name=group_norm", 2,
          "norm.name is group_norm where attention is causal");
  refused("$N trace --out b --config a/config.json", 2, "has the task language");
  refused("$N weights --run a --out w.npz", 2, "has the task language; expected classify");
}

}  // namespace
}  // namespace normproof::tests::verification::cli::train
