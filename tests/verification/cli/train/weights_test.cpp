#include "verification/cli/train/weights.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "ref/io/tensor_file.hpp"
#include "tests/verification/cli/parsed.hpp"
#include "tests/verification/cli/program_run.hpp"

// Runs `normproof weights` and `normproof train --weights`.
namespace normproof::tests::verification::cli::train {
namespace {

namespace io = ::normproof::ref::io;
using testing::HasSubstr;

constexpr const char* kSmall =
    " --set encoder.d_model=8 --set encoder.d_ff=8 --set training.epochs=1 --threads 1 "
    "--set training.validation_share=0.75";

class WeightsProgram : public ::testing::Test {
 protected:
  WeightsProgram() : enter_("cd '" + folder_.path().string() + "'; ") {}
  Outcome in(const std::string& command) const { return run(enter_ + command); }
  Outcome train(const std::string& more) const { return in("$N train" + (kSmall + (" " + more))); }

  tests::ref::io::TemporaryFolder folder_;
  std::string enter_;
};

TEST(WeightsOptions, ParsesRunAndFile) {
  const auto weights = parse_command<tool::train::WeightsCommand>({"--run", "r", "--out", "w.npz"});
  EXPECT_EQ(weights.folder, "r");
  EXPECT_EQ(weights.out, "w.npz");
  EXPECT_THAT(refusal<tool::train::WeightsCommand>({"--out", "w.npz"}),
              HasSubstr("--run is required"));
  EXPECT_THAT(refusal<tool::train::WeightsCommand>({"--run", "r"}), HasSubstr("--out is required"));
  EXPECT_THAT(refusal<tool::train::WeightsCommand>({"--ran", "r"}),
              HasSubstr("did you mean '--run'?"));
}

TEST_F(WeightsProgram, RejectsAnAlteredRun) {
  train("--out a");
  in("sed -i 's/\"positions\": true/\"positions\": false/' a/config.json");
  const Outcome outcome = in("$N weights --run a --out w.npz");
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("run_sha256 is not that of config.json and data.json"));
}

TEST_F(WeightsProgram, WrittenWeightsCanStartAnotherRun) {
  train("--out a");
  const Outcome outcome =
      in("$N weights --run a --out w.npz; $N weights --run a --out w.safetensors");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "step 2: 15 tensors\nstep 2: 15 tensors\n");
  EXPECT_EQ(io::read_tensors(folder_ / "w.npz"), io::read_tensors(folder_ / "w.safetensors"));
  EXPECT_EQ(in("$N weights --run a --out new/folder/w.npz; cmp w.npz new/folder/w.npz").status, 0);
  const Outcome next = train("--out b --weights w.npz");
  EXPECT_EQ(next.status, 0) << next.err;
  EXPECT_EQ(io::read_tensors(folder_ / "b/weights.safetensors"),
            io::read_tensors(folder_ / "w.npz"));
  EXPECT_THAT(in("cat b/data.json").out, HasSubstr("\"weights\": \""));
  // The first step must begin with exactly these weights.
  EXPECT_EQ(train("--out c --weights w.safetensors").out, next.out);
  EXPECT_NE(train("--out d").out, next.out);
}

TEST_F(WeightsProgram, WrittenWeightsCanStartATrace) {
  train("--out a");
  in("$N weights --run a --out w.npz");
  train("--out b --weights w.npz");
  const Outcome trace = in(std::string("$N trace") + kSmall + " --out t --weights w.npz; cmp " +
                           "b/data.json t/data.json");
  EXPECT_EQ(trace.status, 0) << trace.err;
  const auto line = nlohmann::json::parse(in("head -n 1 b/metrics.jsonl").out);
  EXPECT_THAT(trace.out, HasSubstr("sha256 " + line.at("sha256").get<std::string>()));
}

TEST_F(WeightsProgram, ResumedRunKeepsItsInitialWeights) {
  train("--out a");
  in("$N weights --run a --out w.npz");
  const Outcome whole = train("--out whole --weights w.npz");
  train("--out b --weights w.npz");
  const Outcome resumed =
      in("rm b/checkpoint.safetensors w.npz; $N train --out b --resume --threads 1; cmp "
         "whole/checkpoint.safetensors b/checkpoint.safetensors");
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(resumed.out, whole.out);
  const Outcome other = in(
      "rm b/weights.safetensors; $N weights --run a --out b/weights.safetensors; $N train --out b "
      "--resume");
  EXPECT_EQ(other.status, 0) << other.err;  // the same weights
  const Outcome altered =
      in("rm b/weights.safetensors; $N weights --run whole --out b/weights.safetensors; $N train "
         "--out b --resume");
  EXPECT_EQ(altered.status, 3);
  EXPECT_THAT(altered.err, HasSubstr("b/weights.safetensors: the file was altered; expected"));
  const Outcome lost = in(
      "rm b/checkpoint.safetensors b/weights.safetensors; $N train --out b --resume --threads 1");
  EXPECT_EQ(lost.status, 3);
  EXPECT_THAT(lost.err, HasSubstr("b/weights.safetensors"));
}

TEST_F(WeightsProgram, EachErrorIsReportedInOneSentence) {
  train("--out a");
  train("--out p --set norm.name=power_norm");
  in("$N weights --run a --out w.npz; cp -r a x; printf x >> x/checkpoint.safetensors");
  const std::string to_train = std::string("train") + kSmall + " --out n --weights w.npz";
  for (const auto& [arguments, status, sentence] :
       std::initializer_list<std::tuple<std::string, int, const char*>>{
           {"weights --run absent --out v.npz", 3, "absent/config.json"},
           {"weights --run a --out v.txt", 2, "v.txt"},
           {"weights --run a --out w.npz/v.npz", 3, "w.npz: the folder cannot be made"},
           {"weights --run a --out w.npz", 2,
            "--out w.npz is there already; expected the name of a new file"},
           {"weights --run a --out a/checkpoint.safetensors", 2, "is there already"},
           {"weights --run x --out v.npz", 3, "x/checkpoint.safetensors"},
           {"weights --run p --out v.npz", 2, "norm.name is 'power_norm'"},
           {to_train + " --set encoder.d_ff=9", 3,
            "w.npz: encoder.layers.0.linear1.weight is float64 [8, 8]; expected float64 [9, 8]"},
           {to_train + " --set encoder.placement=pre", 3, "w.npz: encoder.norm.weight is absent"},
           {to_train + " --set norm.name=rms_norm", 2, "norm.name is 'rms_norm'"},
           {"train --out n --weights absent.npz", 3, "absent.npz"},
           {"trace --out n --weights absent.npz", 3, "absent.npz"}}) {
    const Outcome outcome = in("$N " + arguments);
    EXPECT_EQ(outcome.status, status) << arguments << outcome.err;
    EXPECT_TRUE(is_one_sentence(outcome.err)) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(sentence)) << arguments;
  }
  EXPECT_EQ(in("ls").out, "a\np\nw.npz\nx\n");  // a rejected command leaves no files
}

}  // namespace
}  // namespace normproof::tests::verification::cli::train
