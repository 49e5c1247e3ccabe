#include "verification/cli/train/translate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/cli/parsed.hpp"
#include "tests/verification/cli/program_run.hpp"

// Runs `normproof train --task translate`, `normproof evaluate` and `normproof translate` on the
// made-up pairs.
namespace normproof::tests::verification::cli::train {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kSmallPairs =
    "--task translate --set model.d_model=8 --set encoder.num_heads=2 --set encoder.d_ff=8 --set "
    "decoder.num_heads=2 --set decoder.d_ff=8 --set training.epochs=1 --set training.batch_size=64 "
    "--set translation.bleu_pairs=5 --set translation.max_length=12 ";

class TranslateProgram : public ::testing::Test {
 protected:
  TranslateProgram() : enter_("cd '" + folder_.path().string() + "'; ") {}
  Outcome in(const std::string& command) const { return run(enter_ + command); }
  Outcome train(const std::string& more) const { return in("$N train " + (kSmallPairs + more)); }
  void refused(const std::string& command, int status, const std::string& what) const {
    const Outcome outcome = in(command);
    EXPECT_EQ(outcome.status, status) << command;
    EXPECT_TRUE(is_one_sentence(outcome.err)) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(what));
  }

  tests::ref::io::TemporaryFolder folder_;
  std::string enter_;
};

TEST(TranslateOptions, ParsesRunSentencesAndSearch) {
  using tool::train::TranslateCommand;
  const auto translate = parse_command<TranslateCommand>(
      {"--run", "r", "--in", "-", "--beam", "3", "--average", "2", "--threads", "2"});
  EXPECT_EQ(translate.folder, "r");
  EXPECT_EQ(translate.in, "-");
  EXPECT_EQ(translate.search.search().width, 3u);
  EXPECT_EQ(translate.average, 2u);
  EXPECT_EQ(translate.threads, 2);
  EXPECT_THAT(refusal<TranslateCommand>({"--run", "r"}), HasSubstr("--in is required"));
  EXPECT_THAT(refusal<TranslateCommand>({"--in", "f"}), HasSubstr("--run is required"));
}

TEST_F(TranslateProgram, TrainsEvaluatesAndTranslatesWithTheSameBitsOnAnyThreads) {
  const Outcome outcome = train("--out a --threads 1");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              AllOf(StartsWith("synthetic pairs: 63 steps, 4,000 pairs to train on, 200 to "
                               "validate on, of 39 and 63 words\n"),
                    HasSubstr(", BLEU ")));
  // The hash of the trained state is the same with every compiler and processor.
  EXPECT_THAT(
      outcome.out,
      EndsWith("sha256 ead0f00b95461cb3c23f0afd10b2fb35fdee4c06ffb368014ce982d7019cc12d\n"));
  EXPECT_EQ(train("--out b --threads 3").out, outcome.out);
  EXPECT_EQ(in("diff -r a b").out, "");
  EXPECT_EQ(in("ls a").out,
            "checkpoint.safetensors\nconfig.json\ndata.json\nmetrics.jsonl\npage.html\n");

  const Outcome test = in("$N evaluate --run a --threads 1 --beam 2");
  EXPECT_EQ(test.status, 0) << test.err;
  EXPECT_THAT(
      test.out,
      AllOf(StartsWith(
                "synthetic pairs: step 63, 200 pairs, 0.0 % of the source's words and 0.0 % of "
                "the target's unknown\nloss "),
            HasSubstr(", perplexity "), HasSubstr("\nBLEU = "),
            EndsWith("nrefs:1|case:mixed|eff:no|tok:none|smooth:exp|version:2.6.0, beam 2, "
                     "length penalty 0.6\n")));
  EXPECT_EQ(in("$N evaluate --run a --threads 3 --beam 2").out, test.out);
  EXPECT_NE(in("$N evaluate --run a --beam 2 --part validation").out, test.out);
  EXPECT_THAT(in("$N evaluate --run a --part whole").out, HasSubstr("step 63, 4,400 pairs, "));

  const std::string lines = "printf 'tomo ga akari o mitsu .\\n\\nzork\\norime ga aka o hako .' ";
  const Outcome translated = in(lines + "| $N translate --run a --in - --threads 1");
  EXPECT_EQ(translated.status, 0) << translated.err;
  EXPECT_EQ(in(lines + "> s; $N translate --run a --in s --threads 3").out, translated.out);
  EXPECT_EQ(std::ranges::count(translated.out, '\n'), 4);
  EXPECT_THAT(translated.out, HasSubstr("\n\n"));
  EXPECT_EQ(in("printf 'tomo ga akari o mitsu .' | $N translate --run a --in -").out,
            translated.out.substr(0, translated.out.find('\n') + 1));
  EXPECT_EQ(in("$N translate --run a --in - < /dev/null").out, "");

  const Outcome vast =
      in("yes tomo | head -n 20000 | tr '\\n' ' ' | sed 's/ $//' > v; "
         "(ulimit -v 1500000; $N translate --run a --in v --threads 1)");
  EXPECT_EQ(vast.status, 1);
  EXPECT_THAT(vast.err,
              HasSubstr("v:1: the memory does not suffice for a sentence of 20000 words"));
}

TEST_F(TranslateProgram, ResumesAfterSigkillToTheSameHash) {
  const Outcome whole = train("--out a --threads 1 --checkpoint-every 10");
  in("$N train " + std::string(kSmallPairs) +
     "--out b --threads 1 --checkpoint-every 10 & p=$!; while ! [ -e b/checkpoint.safetensors ] && "
     "kill -0 $p 2>/dev/null; do :; done; kill -9 $p; wait $p");
  const Outcome resumed = in("$N train --out b --resume --threads 2 --checkpoint-every 10");
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(in("diff a b").out, "");
  EXPECT_EQ(resumed.out, whole.out);
}

TEST_F(TranslateProgram, UsesTheMeanOfTheLastCheckpoints) {
  train("--set training.keep_checkpoints=3 --checkpoint-every 20 --out a");
  const Outcome last = in("$N evaluate --run a"), mean = in("$N evaluate --run a --average 3");
  EXPECT_THAT(mean.out, StartsWith("synthetic pairs: the mean of 3 checkpoints up to step 63, "));
  EXPECT_NE(mean.out.substr(mean.out.find("loss ")), last.out.substr(last.out.find("loss ")));
  EXPECT_EQ(in("echo tomo | $N translate --run a --in - --average 3").status, 0);
  refused("echo tomo | $N translate --run a --in - --average 4", 3,
          "a: keeps 3 checkpoints; expected 4 or more");
}

TEST_F(TranslateProgram, ReadsAFolderOfPairs) {
  in("mkdir c; for p in train dev test; do printf 'b a\\nb\\nc\\n' > c/$p.aa; printf 'x\\ny "
     "x\\nz\\n' "
     "> c/$p.bb; done");
  const Outcome outcome = train("--out a --data c/ --source aa --target bb");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("c, aa to bb: 1 step, 3 pairs to train on, 3 to validate on, "
                                      "of 6 and 6 words\n"));
  EXPECT_THAT(in("$N evaluate --run a --data c --source aa --target bb").out,
              StartsWith("c, aa to bb: step 1, 3 pairs, "));
  EXPECT_EQ(train("--out a --data c/ --source aa --target bb --resume").out, outcome.out);
  refused("$N evaluate --run a", 2,
          "--data is not given, and the run in a was not trained on the synthetic pairs");
  in("printf 'one\\n\\n' > c/dev.aa");
  refused("$N evaluate --run a --data c --source aa --target bb", 3,
          "c/dev.aa:2: the line is empty");
  in("printf 'one\\n' > c/dev.aa");
  refused("$N evaluate --run a --data c --source aa --target bb", 3,
          "c/dev.aa:2: the file has ended");
  refused("$N evaluate --run a --data c --source aa --target cc", 3, "c/train.cc");
  refused("$N evaluate --run a --data c --source aa", 2, "--target is not given; expected all of");
}

TEST_F(TranslateProgram, ReportsErrors) {
  train("--out a");
  in("$N train --task language --out l --set encoder.d_model=8 --set training.epochs=1");
  write_file(folder_ / "t", "fine\nbad \xff\n");
  refused("$N translate --run a --in t", 3, "t:2: the sentence");
  refused("$N translate --run a --in absent", 3, "absent: does not exist");
  refused("printf 'a\\rb\\n' | $N translate --run a --in -", 3,
          "standard input:1: the line has a CR");
  refused("head -c 100001 /dev/zero | tr '\\0' a | $N translate --run a --in -", 3,
          "standard input:1: the line has 100001 bytes; expected at most 100000");
  refused("$N translate --run l --in t", 2, "has the task language; expected one that");
  refused("$N complete --run a --prompt x", 2, "has the task translate; expected one that");
  refused("$N evaluate --run l --beam 3", 2, "--beam is given; expected none but of the task");
  refused("$N evaluate --run l --source x", 2, "--source is given; expected none but of the task");
  refused("$N train --task classify --out b --source x", 2, "--source is given");
  refused("$N train --task translate --out b --vocab v", 2,
          "--vocab is given; expected none with --task translate");
  refused("$N train --task translate --out b --weights v", 2,
          "--weights is given with --task translate");
  refused("$N train --config a/config.json --out b --weights v", 2,
          "--weights is given with --task translate");
  refused("$N train --task translate --out b --set encoder.num_heads=5", 2,
          "normproof: encoder.num_heads is 5; expected a divisor of d_model, 32");
  refused("$N train --task translate --out b --set decoder_norm.name=group_norm", 2,
          "decoder_norm.name is group_norm where attention is causal");
  refused("$N train --task translate --out b --set encoder.d_ff=100000000000000", 1,
          "the memory does not suffice for a translator of encoder.num_layers 1, ");
  refused("$N trace --out b --config a/config.json", 2,
          "has the task translate; expected classify");
  refused("$N weights --run a --out w.npz", 2, "has the task translate; expected classify");
  EXPECT_NE(in("ls b").status, 0);  // a rejected run leaves no files
}

// With the default settings, the numbers must be those of docs/guide/language.md.
TEST_F(TranslateProgram, LearnsTheSyntheticPairs) {
  EXPECT_EQ(in("$N train --task translate --out a").status, 0);
  const std::string found = in("$N evaluate --run a").out;
  const std::size_t at = found.find("BLEU = ");
  ASSERT_NE(at, std::string::npos);
  EXPECT_GT(std::stod(found.substr(at + 7)), 95);
  EXPECT_EQ(in("echo 'orime omo ga akari o mitsu .' | $N translate --run a --in -").out,
            "the heavy weaver finds the lamp .\n");
}

}  // namespace
}  // namespace normproof::tests::verification::cli::train
