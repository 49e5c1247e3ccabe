#include "verification/cli/train/train.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/verification/cli/parsed.hpp"
#include "tests/verification/cli/program_run.hpp"

// Runs `normproof train` on the synthetic corpus.
namespace normproof::tests::verification::cli::train {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class TrainProgram : public ::testing::Test {
 protected:
  TrainProgram() : enter_("cd '" + folder_.path().string() + "'; ") {}
  Outcome in(const std::string& command) const { return run(enter_ + command); }
  Outcome train(const std::string& more) const {
    return in("$N train --set encoder.d_model=8 --set encoder.d_ff=8 --set training.epochs=1 " +
              more);
  }

  tests::ref::io::TemporaryFolder folder_;
  std::string enter_;
};

TEST(TrainOptions, ParsesEveryOption) {
  using testing::ElementsAre;
  using testing::Pair;
  const auto train = parse_command<tool::train::TrainCommand>({"--out",
                                                               "o",
                                                               "--config",
                                                               "c",
                                                               "--set",
                                                               "norm.name=none",
                                                               "--set",
                                                               "a.b=c=d",
                                                               "--seed",
                                                               "9",
                                                               "--data",
                                                               "d",
                                                               "--vocab",
                                                               "v",
                                                               "--validation",
                                                               "n",
                                                               "--checkpoint-every",
                                                               "5",
                                                               "--threads",
                                                               "3",
                                                               "--resume"});
  EXPECT_EQ(train.out, "o");
  EXPECT_EQ(train.source.config, "c");
  EXPECT_THAT(train.source.settings, ElementsAre(Pair("norm.name", "none"), Pair("a.b", "c=d")));
  EXPECT_EQ(train.source.seed, 9u);
  EXPECT_EQ(train.source.files.data, "d");
  EXPECT_EQ(train.source.validation, "n");
  EXPECT_EQ(train.checkpoint_every, 5u);
  EXPECT_EQ(train.threads, 3);
  EXPECT_TRUE(train.resume);
  EXPECT_FALSE(train.print_config);
  EXPECT_EQ(parse_command<tool::train::TrainCommand>({"--out", "o", "--weights", "w.npz"}).weights,
            "w.npz");
  EXPECT_TRUE(parse_command<tool::train::TrainCommand>({"--print-config"}).print_config);
  using normproof::verification::training::Task;
  EXPECT_EQ(
      parse_command<tool::train::TrainCommand>({"--out", "o", "--task", "language"}).source.task,
      Task::language);
  const auto translate = parse_command<tool::train::TrainCommand>(
      {"--out", "o", "--task", "translate", "--source", "ja", "--target", "en"});
  EXPECT_EQ(translate.source.task, Task::translate);
  EXPECT_EQ(translate.source.languages.source, "ja");
  EXPECT_EQ(translate.source.languages.target, "en");
}

TEST(TrainOptions, ErrorsNameMissingAndInvalidOptions) {
  const auto refused = [](const Arguments& arguments, const std::string& what) {
    EXPECT_THAT(refusal<tool::train::TrainCommand>(arguments), testing::HasSubstr(what));
  };
  refused({}, "--out is not given; expected the folder of the run");
  refused({"--out", "o", "--checkpoint-every", "x"}, "--checkpoint-every is 'x'");
  refused({"--out", "o", "--seed", "x"}, "--seed is 'x'; expected a whole number from 0 to");
  refused({"--out", "o", "more"}, "unexpected argument 'more'");
  refused({"--ot", "o"}, "did you mean '--out'?");
  refused({"--out", "o", "--task", "languages"}, "did you mean 'language'?");
  refused({"--out", "o", "--task", "language", "--weights", "w.npz"},
          "--weights is given with --task language; expected one of them");
  refused({"--out", "o", "--resume", "--weights", "w.npz"},
          "--weights is given with --resume; expected one of them");
}

TEST_F(TrainProgram, WritesARunAndPrintsItsHash) {
  const Outcome outcome = train("--out a --threads 1");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out,
              AllOf(StartsWith("synthetic corpus: 7 steps, 410 to train on, 102 to validate on\n"),
                    HasSubstr("validation loss "), HasSubstr("\nsha256 ")));
  EXPECT_EQ(in("ls a").out,
            "checkpoint.safetensors\nconfig.json\ndata.json\nmetrics.jsonl\npage.html\n");
  EXPECT_THAT(in("cat a/page.html").out, HasSubstr("<svg"));
  // The hash of the trained state is the same with every compiler and processor.
  EXPECT_THAT(
      outcome.out,
      EndsWith("sha256 625eae3449caad1fa7b1348213ea36ba27f824c29235b3b83ae53760d48270b1\n"));
  // Another number of threads must give the same bits. The hash in the last line must be the
  // printed one.
  const Outcome again = train("--out b --threads 3");
  EXPECT_EQ(again.out, outcome.out);
  EXPECT_EQ(in("diff -r a b").out, "");
  EXPECT_THAT(in("cat a/metrics.jsonl").out,
              HasSubstr(outcome.out.substr(outcome.out.rfind(' ') + 1, 64)));
  EXPECT_NE(train("--out c --seed 7").out, outcome.out);
}

TEST_F(TrainProgram, ResumesAfterSigkillToTheSameHash) {
  const Outcome whole = train("--out a --threads 1 --checkpoint-every 2");
  // The run is killed while it appends to metrics.jsonl, at an arbitrary step.
  in("$N train --set encoder.d_model=8 --set encoder.d_ff=8 --set training.epochs=1 --out b "
     "--threads 1 --checkpoint-every 2 & p=$!; while ! [ -e b/checkpoint.safetensors ] && kill -0 "
     "$p 2>/dev/null; do :; done; kill -9 $p; wait $p");
  const Outcome resumed = in("$N train --out b --resume --threads 1 --checkpoint-every 2");
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(in("cmp a/checkpoint.safetensors b/checkpoint.safetensors; cmp a/metrics.jsonl "
               "b/metrics.jsonl")
                .out,
            "");
  EXPECT_EQ(resumed.out, whole.out);
}

TEST_F(TrainProgram, PrintsSettingsThatItCanRead) {
  const Outcome printed = in("$N train --print-config --set norm.name=power_norm | tee c.json");
  EXPECT_EQ(printed.status, 0);
  EXPECT_EQ(nlohmann::json::parse(printed.out).at("norm").at("name"), "power_norm");
  EXPECT_EQ(in("$N train --print-config --config c.json").out, printed.out);
}

TEST_F(TrainProgram, ErrorForAnImpossibleValueNamesItsSetting) {
  const auto refused = [&](const std::string& arguments, const std::string& what) {
    const Outcome outcome = in("$N train --out x " + arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_THAT(outcome.err, HasSubstr(what));
    EXPECT_EQ(in("ls x 2>/dev/null").out, "") << arguments;
  };
  refused("--set encoder.num_heads=5",
          "normproof: encoder.num_heads is 5; expected a divisor of d_model, 32");
  refused("--set optimizer.beta1=2", "optimizer.beta1 is 2; expected 0 <= beta1 < 1");
  refused("--task language --set training.context=28835",
          "training.context is '28835'; expected 28834 at most, the characters to predict of what "
          "synthetic text has to train on");
}

TEST_F(TrainProgram, ResumesWithTheTaskOfTheRun) {
  ASSERT_EQ(train("--out a").status, 0);
  const Outcome other = in("$N train --out a --resume --task language");
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr("--task is not that of the run in a; expected its own"));
  EXPECT_EQ(in("$N train --out a --resume --task classify").status, 0);
}

TEST_F(TrainProgram, RejectsASecondProcessInTheSameFolder) {
  in("$N train --out a --set training.epochs=1");
  const std::string before = in("sha256sum a/*").out;
  const Outcome second = in("exec 9<a; flock 9; $N train --out a --resume");
  EXPECT_EQ(second.status, 2);
  EXPECT_TRUE(is_one_sentence(second.err)) << second.err;
  EXPECT_THAT(second.err, HasSubstr("--out a: another 'normproof train' is at work in it"));
  EXPECT_EQ(in("sha256sum a/*").out, before);
}

TEST_F(TrainProgram, EachErrorIsReportedInOneSentence) {
  in("mkdir full && touch full/x; echo '{\"encoder\": {\"d_modl\": 3}}' > c.json; echo 9999 > v");
  for (const auto& [arguments, status, sentence] :
       std::initializer_list<std::tuple<const char*, int, const char*>>{
           {"", 2, "--out is not given; expected the folder of the run"},
           {"--out full", 2, "--out full is there already"},
           {"--out n --resume", 2, "--resume: n holds no run"},
           {"--out n --set norm=3", 2, "unknown setting 'norm'; did you mean 'norm.name'?"},
           {"--out n --set norm.nam=none", 2, "did you mean 'norm.name'?"},
           {"--out n --set norm.name", 2, "--set is 'norm.name'; expected KEY=VALUE"},
           {"--out n --config absent.json", 3, "absent.json"},
           {"--out n --config c.json", 3, "c.json: unknown setting 'encoder.d_modl'"},
           {"--out n --validation v", 3, "v: line 1 is '9999'"},
           {"--out n --data d", 2, "--data is given without --vocab"},
           {"--out n --set encoder.num_heads=3", 2,
            "num_heads is 3; expected a divisor of d_model"},
           {"--out n --set encoder.d_ff=100000000000000", 1,
            "the memory does not suffice for an encoder of encoder.num_layers 1, encoder.d_model "
            "32, encoder.d_ff 100000000000000 and batches of training.batch_size 64 sentences"},
           {"--out m --set optimizer.name=sgd --set training.learning_rate=1e200", 1,
            "step 2: the first value that is not finite is computed from x; attention"},
           {"--out o --set encoder.num_layers=2 --set norm.name=none --set optimizer.name=sgd "
            "--set training.learning_rate=1e40",
            1, "is computed from layers.0.norm2.y; attention"}}) {
    const Outcome outcome = in(std::string("$N train ") + arguments);
    EXPECT_EQ(outcome.status, status) << arguments << outcome.err;
    EXPECT_TRUE(is_one_sentence(outcome.err)) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(sentence)) << arguments;
  }
  EXPECT_NE(in("ls n").status, 0);  // a rejected run leaves no files
}

}  // namespace
}  // namespace normproof::tests::verification::cli::train
