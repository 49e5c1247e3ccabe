#include "verification/training/run.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "ref/io/atomic_file.hpp"
#include "ref/numeric/parallel.hpp"
#include "tests/ref/io/temporary_folder.hpp"
#include "tests/verification/training/samples.hpp"
#include "verification/support/process/file_lock.hpp"
#include "verification/training/kept_checkpoints.hpp"

namespace normproof::verification::training {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Ends a run at a step without any clean-up, as SIGKILL would.
struct RunKilled {};

class TrainingRun : public ::testing::Test {
 protected:
  RunSummary run_in_folder(const std::string& name, RunOptions options = {}) const {
    options.out = folder_ / name;
    return run(config_, data_, options);
  }
  void run_and_kill_after(const std::string& name, std::size_t steps, RunOptions options) const {
    options.after_step = [=](const RunProgress& p) {
      if (p.step == steps) throw RunKilled();
    };
    EXPECT_THROW(run_in_folder(name, options), RunKilled);
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

TEST_F(TrainingRun, KeepsTheLastCheckpointsAfterAnyInterruption) {
  config_.keep_checkpoints = 3;
  run_in_folder("whole", {.checkpoint_every = 2});  // checkpoints at steps 2, 3, 4 and 6
  EXPECT_THAT(list_kept_steps(folder_ / "whole"), ElementsAre(3, 4, 6));
  EXPECT_EQ(text("whole/checkpoint-6.safetensors"), text("whole/checkpoint.safetensors"));
  for (const std::size_t step : {1, 2, 5, 6}) {
    const std::string name = fmt::format("killed{}", step);
    run_and_kill_after(name, step, {.checkpoint_every = 2});
    // The folder is in the state of a run that was killed after it wrote the first of the two
    // checkpoints of a step.
    ref::io::write_file(kept_checkpoint_path(folder_ / name, 1000), "");
    run_in_folder(name, {.resume = true, .checkpoint_every = 2});
    expect_same_files("whole", name);
    EXPECT_THAT(list_kept_steps(folder_ / name), ElementsAre(3, 4, 6));
    for (const std::size_t kept : {3, 4, 6}) {
      const std::string file = fmt::format("/checkpoint-{}.safetensors", kept);
      EXPECT_EQ(text(name + file), text("whole" + file));
    }
  }
  std::filesystem::remove(folder_ / "killed6/checkpoint.safetensors");
  EXPECT_THAT(file_error_message([&] { run_in_folder("killed6", {.resume = true}); }),
              HasSubstr("/checkpoint.safetensors: the file is absent, beside "
                        "checkpoint-6.safetensors; expected what the run wrote last"));
  EXPECT_THAT(list_kept_steps(folder_ / "killed6"), ElementsAre(3, 4, 6));
  config_.keep_checkpoints = 1;
  run_in_folder("last", {.checkpoint_every = 2});
  EXPECT_THAT(list_kept_steps(folder_ / "last"), testing::IsEmpty());
}

TEST_F(TrainingRun, WritesOneLinePerStepAndEpoch) {
  const RunSummary summary = run_in_folder("a");
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
  EXPECT_EQ(lines[7].at("validation_accuracy"), quality(summary.validation, "accuracy"));
}

TEST_F(TrainingRun, FilesAreEqualForAnyNumberOfThreads) {
  run_in_folder("a");
  ref::numeric::set_num_threads(3);
  run_in_folder("b");
  ref::numeric::set_num_threads(1);
  expect_same_files("a", "b");
}

TEST_F(TrainingRun, ResumingAfterAnyStepGivesTheSameFiles) {
  config_.train.encoder.norm = ref::model::PowerNormOptions{};
  config_.train.encoder.dropout = 0.25;
  const RunSummary whole = run_in_folder("whole", {.checkpoint_every = 2});
  for (std::size_t step = 1; step <= 6; ++step) {
    const std::string name = "killed" + std::to_string(step);
    run_and_kill_after(name, step, {.checkpoint_every = 2});
    std::ofstream(folder_ / (name + "/metrics.jsonl"), std::ios::app) << "{\"step\":9,\"lo";
    const RunSummary summary = run_in_folder(name, {.resume = true, .checkpoint_every = 2});
    EXPECT_EQ(summary.sha256, whole.sha256);
    EXPECT_EQ(summary.validation, whole.validation);
    expect_same_files("whole", name);
  }
  // The run has already finished.
  EXPECT_EQ(run_in_folder("whole", {.resume = true}).sha256, whole.sha256);
  expect_same_files("whole", "killed1");
}

TEST_F(TrainingRun, ResumingRequiresTheSameConfigurationAndData) {
  run_and_kill_after("a", 2, {.checkpoint_every = 1});
  config_.train.learning_rate = 0.5;
  EXPECT_THAT(
      usage_error_message([&] { run_in_folder("a", {.resume = true}); }),
      AllOf(HasSubstr("the configuration is not that of the run"), HasSubstr("config.json")));
  config_ = small_run_config();
  data_.training.labels[0] = 1;
  EXPECT_THAT(usage_error_message([&] { run_in_folder("a", {.resume = true}); }),
              HasSubstr("the data is not that"));
  EXPECT_THAT(usage_error_message([&] { run_in_folder("b", {.resume = true}); }),
              HasSubstr("holds no run"));
  EXPECT_THAT(usage_error_message([&] { run_in_folder("a"); }), HasSubstr("is there already"));
}

TEST_F(TrainingRun, RejectsAMetricsFileShorterThanAtTheCheckpoint) {
  run_and_kill_after("a", 4, {});
  fs::resize_file(folder_ / "a/metrics.jsonl", 10);
  EXPECT_THAT(file_error_message([&] { run_in_folder("a", {.resume = true}); }),
              HasSubstr("is shorter than at the last checkpoint"));
  fs::remove(folder_ / "a/metrics.jsonl");
  EXPECT_THAT(file_error_message([&] { run_in_folder("a", {.resume = true}); }),
              HasSubstr("is not there"));
}

TEST_F(TrainingRun, RejectsAMetricsFileAlteredBeforeTheCheckpoint) {
  run_and_kill_after("a", 4, {});
  const fs::path file = folder_ / "a/metrics.jsonl";
  const std::string text = ref::io::read_text(file);
  std::string altered = text;
  altered[text.find("\"loss\":") + 9] ^= 1;
  ref::io::write_file(file, altered);
  EXPECT_THAT(file_error_message([&] { run_in_folder("a", {.resume = true}); }),
              HasSubstr("was altered before"));
  ref::io::write_file(file, text);
  run_in_folder("a", {.resume = true});
}

TEST_F(TrainingRun, ResumesARunThatWasKilledBeforeItsFirstStep) {
  const RunSummary whole = run_in_folder("whole");
  fs::create_directory(folder_ / "begun");
  ref::io::write_file(folder_ / "begun/data.json", "{");
  ref::io::write_file(folder_ / "begun/.config.json.1.tmp", "{");
  EXPECT_THAT(usage_error_message([&] { run_in_folder("begun"); }), HasSubstr("is there already"));
  EXPECT_EQ(run_in_folder("begun", {.resume = true}).sha256, whole.sha256);
  fs::create_directory(folder_ / "other");
  ref::io::write_file(folder_ / "other/data.json", "{");
  ref::io::write_file(folder_ / "other/mine", "x");
  EXPECT_THAT(usage_error_message([&] { run_in_folder("other", {.resume = true}); }),
              HasSubstr("holds no run"));
}

TEST_F(TrainingRun, OnlyOneProcessMayUseAFolder) {
  run_and_kill_after("a", 2, {.checkpoint_every = 1});
  const auto at_work = support::process::FileLock::acquire_folder(folder_ / "a");
  EXPECT_THAT(usage_error_message([&] { run_in_folder("a", {.resume = true}); }),
              HasSubstr("another 'normproof train' is at work in it"));
  fs::create_directory(folder_ / "b");
  const auto beginning = support::process::FileLock::acquire_folder(folder_ / "b");
  EXPECT_THAT(usage_error_message([&] { run_in_folder("b"); }), HasSubstr("is at work in it"));
  EXPECT_TRUE(fs::exists(folder_ / "b"));  // the folder belongs to the other process
}

/// Limits the size of every file that this process writes. This has the same effect as a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : old_action_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit limit{bytes, old_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, old_action_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit old_{};
  void (*old_action_)(int);
};

TEST_F(TrainingRun, FullDiskIsReportedAndResumingGivesTheSameFiles) {
  run_in_folder("whole");
  const auto metrics = text("whole/metrics.jsonl").size();
  const auto checkpoint = text("whole/checkpoint.safetensors").size();
  ASSERT_GT(checkpoint, metrics / 2);
  // The limit is inside a line, inside a checkpoint, or before the first byte.
  for (const std::size_t room : {metrics / 2, metrics / 2 - 1, checkpoint / 2, std::size_t{0}}) {
    const std::string name = fmt::format("room_{}", room);
    RunOptions options{.checkpoint_every = 1};
    std::optional<FileSizeLimit> full;
    options.after_step = [&](const RunProgress& p) {
      if (p.step == 2) full.emplace(room);
    };
    const std::string message = file_error_message([&] { run_in_folder(name, options); });
    full.reset();
    EXPECT_THAT(message, AnyOf(HasSubstr("cannot write"), HasSubstr("cannot be written"))) << room;
    EXPECT_THAT(message, HasSubstr((folder_ / name).string())) << room;
    run_in_folder(name, {.resume = true, .checkpoint_every = 1});
    expect_same_files("whole", name);
  }
}

TEST_F(TrainingRun, ResumingAFinishedRunReturnsItsSummary) {
  const RunSummary whole = run_in_folder("a"), again = run_in_folder("a", {.resume = true});
  EXPECT_EQ(again.training_loss, whole.training_loss);
  EXPECT_EQ(again.validation_loss, whole.validation_loss);
  EXPECT_EQ(again.sha256, whole.sha256);
}

TEST_F(TrainingRun, ConfigurationRejectedByTheFirstStepLeavesNoFolder) {
  config_.train.learning_rate = -1;
  const std::string message = usage_error_message([&] { run_in_folder("a"); });
  EXPECT_THAT(message, HasSubstr("learning_rate"));
  EXPECT_FALSE(fs::exists(folder_ / "a"));
}

TEST_F(TrainingRun, NonFiniteValueInTheFirstStepDoesNotBlameASetting) {
  const ref::numeric::ContractError setting(
      {.argument = "num_heads", .observation = "is 3", .expectation = "a divisor"});
  const ref::numeric::NotFiniteError overflow(
      {.function = "softmax", .argument = "x", .observation = "overflows"});
  EXPECT_THROW(throw_step_failure(config_, 1, "x at [0] is nan", setting), RunFailure);
  EXPECT_THROW(throw_step_failure(config_, 1, std::nullopt, overflow), RunFailure);
  EXPECT_THROW(throw_step_failure(config_, 2, std::nullopt, setting), RunFailure);
  EXPECT_THAT(usage_error_message([&] { throw_step_failure(config_, 1, std::nullopt, setting); }),
              HasSubstr("step 1: encoder.num_heads is 3"));
}

TEST_F(TrainingRun, RejectsSettingsThatWereAlteredConsistently) {
  run_and_kill_after("a", 4, {});
  config_.train.learning_rate /= 2;
  ref::io::write_file(folder_ / "a/config.json", config_json(config_));
  EXPECT_THAT(file_error_message([&] { run_in_folder("a", {.resume = true}); }),
              HasSubstr("run_sha256 is of another configuration or of other data"));
}

TEST_F(TrainingRun, AlteredDataDescriptionIsADamagedFile) {
  run_and_kill_after("a", 4, {});
  const fs::path file = folder_ / "a/data.json";
  const std::string kept = ref::io::read_text(file);
  std::string altered = kept;
  altered[altered.find("\"sha256\": \"") + 12] ^= 1;
  ref::io::write_file(file, altered);
  EXPECT_THAT(file_error_message([&] { run_in_folder("a", {.resume = true}); }),
              HasSubstr("config.json and data.json, which were altered"));
  ref::io::write_file(file, kept);
  run_in_folder("a", {.resume = true});
}

TEST_F(TrainingRun, NonFiniteValueStopsTheRunAndIsNamedInTheError) {
  config_.train.optimizer = ref::model::SgdOptions{};
  config_.train.learning_rate = 1e200;
  const std::string message =
      ref::numeric::error_message<RunFailure>([&] { run_in_folder("a", {}); });
  EXPECT_THAT(message, AllOf(HasSubstr("step "), HasSubstr(" is ")));
}

TEST_F(TrainingRun, LastStepOfAnEpochTakesTheRemainingBatches) {
  config_.train.accumulation = 2;
  EXPECT_EQ(run_in_folder("a").steps, 4u);
}

}  // namespace
}  // namespace normproof::verification::training
