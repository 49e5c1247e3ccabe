#include "verification/training/run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "ref/io/atomic_file.hpp"
#include "ref/numeric/parallel.hpp"
#include "tests/ref/io/temporary_folder.hpp"
#include "tests/verification/training/samples.hpp"

namespace normproof::verification::training {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// As SIGKILL would, at the end of a step: nothing is tidied up.
struct Killed {};

class TrainingRun : public ::testing::Test {
 protected:
  RunSummary go(const std::string& name, RunOptions options = {}) const {
    options.out = folder_ / name;
    return run(config_, data_, options);
  }
  void kill_after(const std::string& name, std::size_t steps, RunOptions options) const {
    options.after_step = [=](const RunProgress& p) {
      if (p.step == steps) throw Killed();
    };
    EXPECT_THROW(go(name, options), Killed);
  }
  std::string text(const std::string& file) const { return ref::io::read_text(folder_ / file); }
  void expect_same_files(const std::string& a, const std::string& b) const {
    for (const char* file : {"config.json", "data.json", "metrics.jsonl", "checkpoint.safetensors"})
      EXPECT_EQ(text(a + "/" + file), text(b + "/" + file)) << file;
  }

  tests::ref::io::TemporaryFolder folder_;
  RunConfig config_ = small_run_config();
  Dataset data_ = small_dataset();
};

TEST_F(TrainingRun, WritesALineAStepAndALineAnEpoch) {
  const RunSummary summary = go("a");
  EXPECT_EQ(summary.steps, 6u);
  std::vector<nlohmann::json> lines;
  std::ifstream file(folder_ / "a/metrics.jsonl");
  for (std::string line; std::getline(file, line);) lines.push_back(nlohmann::json::parse(line));
  ASSERT_EQ(lines.size(), 8u);
  EXPECT_EQ(lines[0].at("step"), 1);
  EXPECT_EQ(lines[0].at("gradient_norms").size(), 15u);
  EXPECT_EQ(lines[0].at("norms").at("layers.0.norm1").at("rstd").size(), 3u);
  EXPECT_TRUE(lines[3].contains("validation_macro_f1"));
  EXPECT_EQ(lines[6].at("sha256"), summary.sha256);
  EXPECT_EQ(lines[7].at("validation_accuracy"), summary.validation.accuracy);
}

TEST_F(TrainingRun, TheSameBytesWhateverTheThreads) {
  go("a");
  ref::numeric::set_num_threads(3);
  go("b");
  ref::numeric::set_num_threads(1);
  expect_same_files("a", "b");
}

TEST_F(TrainingRun, KilledAfterAnyStepItResumesToTheSameBytes) {
  config_.train.encoder.norm = ref::model::PowerNormOptions{};
  config_.train.encoder.dropout = 0.25;
  const RunSummary whole = go("whole", {.checkpoint_every = 2});
  for (std::size_t step = 1; step <= 6; ++step) {
    const std::string name = "killed" + std::to_string(step);
    kill_after(name, step, {.checkpoint_every = 2});
    std::ofstream(folder_ / (name + "/metrics.jsonl"), std::ios::app) << "{\"step\":9,\"lo";
    const RunSummary summary = go(name, {.resume = true, .checkpoint_every = 2});
    EXPECT_EQ(summary.sha256, whole.sha256);
    EXPECT_EQ(summary.validation.accuracy, whole.validation.accuracy);
    expect_same_files("whole", name);
  }
  // Nothing is left to do.
  EXPECT_EQ(go("whole", {.resume = true}).sha256, whole.sha256);
  expect_same_files("whole", "killed1");
}

TEST_F(TrainingRun, AResumedRunIsOneOfTheSameConfigurationAndData) {
  kill_after("a", 2, {.checkpoint_every = 1});
  config_.train.learning_rate = 0.5;
  EXPECT_THAT(
      usage_message([&] { go("a", {.resume = true}); }),
      AllOf(HasSubstr("the configuration is not that of the run"), HasSubstr("config.json")));
  config_ = small_run_config();
  data_.training.labels[0] = 1;
  EXPECT_THAT(usage_message([&] { go("a", {.resume = true}); }), HasSubstr("the data is not that"));
  EXPECT_THAT(usage_message([&] { go("b", {.resume = true}); }), HasSubstr("holds no run"));
  EXPECT_THAT(usage_message([&] { go("a"); }), HasSubstr("is there already"));
}

TEST_F(TrainingRun, MetricsShorterThanTheCheckpointSaysAreRefused) {
  kill_after("a", 4, {});
  fs::resize_file(folder_ / "a/metrics.jsonl", 10);
  EXPECT_THAT(file_message([&] { go("a", {.resume = true}); }),
              HasSubstr("is shorter than at the last checkpoint"));
}

TEST_F(TrainingRun, ADiskWithoutRoomIsASentenceAndResumes) {
  const RunSummary whole = go("whole");
  kill_after("a", 4, {});
  fs::remove(folder_ / "a/metrics.jsonl");
  fs::create_symlink("/dev/full", folder_ / "a/metrics.jsonl");
  EXPECT_NE(file_message([&] { go("a", {.resume = true}); }), "no error");
  EXPECT_EQ(go("whole", {.resume = true}).sha256, whole.sha256);
}

TEST_F(TrainingRun, ValuesThatAreNotFiniteStopItWithTheirPlace) {
  config_.train.optimizer = ref::model::SgdOptions{};
  config_.train.learning_rate = 1e200;
  const std::string message = ref::numeric::error_message<RunFailure>([&] { go("a", {}); });
  EXPECT_THAT(message, AllOf(HasSubstr("step "), HasSubstr(" is ")));
}

TEST_F(TrainingRun, AccumulationTakesTheRestOfAnEpochToo) {
  config_.train.accumulation = 2;
  EXPECT_EQ(go("a").steps, 4u);
}

}  // namespace
}  // namespace normproof::verification::training
