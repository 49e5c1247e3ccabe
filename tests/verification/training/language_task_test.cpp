#include "verification/training/language_task.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/io/atomic_file.hpp"
#include "ref/numeric/elementary.hpp"
#include "ref/numeric/parallel.hpp"
#include "tests/ref/io/temporary_folder.hpp"
#include "tests/verification/training/samples.hpp"
#include "tests/verification/training/small_language.hpp"
#include "verification/training/run.hpp"

namespace normproof::verification::training {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct RunEnded {};

class LanguageTaskRun : public ::testing::Test {
 protected:
  RunSummary run_in_folder(const std::string& name, RunOptions options = {}) {
    LanguageTask task(config_, text_);
    options.out = folder_ / name;
    return run(config_, task, options);
  }
  std::string text(const std::string& file) const { return ref::io::read_text(folder_ / file); }
  void expect_same_files(const std::string& a, const std::string& b) const {
    for (const char* file : {"config.json", "data.json", "metrics.jsonl", "checkpoint.safetensors"})
      EXPECT_EQ(text(a + "/" + file), text(b + "/" + file)) << file;
  }

  tests::ref::io::TemporaryFolder folder_;
  TextData text_ = small_text();
  RunConfig config_ = small_language_config(text_);
};

TEST_F(LanguageTaskRun, LearnsAndRecordsLossPerplexityAndBits) {
  config_.epochs = 6;
  const RunSummary summary = run_in_folder("a");
  LanguageTask task(config_, text_);
  auto untrained = ref::train::initial_train_state(config_.train);
  EXPECT_LT(summary.validation_loss, task.validate(untrained).loss - 0.5);
  EXPECT_EQ(quality(summary.validation, "perplexity"), ref::numeric::exp(summary.validation_loss));
  EXPECT_EQ(quality(summary.validation, "bits_per_character"),
            summary.validation_loss / ref::numeric::log(2.0));
  EXPECT_THAT(text("a/metrics.jsonl"),
              AllOf(HasSubstr("\"bits_per_character\":"), HasSubstr("\"validation_perplexity\":")));
  EXPECT_EQ(summary.steps, 6 * task.steps_per_epoch());
}

TEST_F(LanguageTaskRun, FilesAreEqualForAnyThreadsAndAfterResuming) {
  config_.train.encoder.norm = ref::model::PowerNormOptions{};
  config_.train.encoder.dropout = 0.25;
  config_.train.accumulation = 2;
  const RunSummary whole = run_in_folder("whole", {.checkpoint_every = 2});
  ref::numeric::set_num_threads(3);
  for (const std::size_t step : {1, 3, 4}) {
    const std::string name = "killed" + std::to_string(step);
    RunOptions options{.checkpoint_every = 2};
    options.after_step = [=](const RunProgress& p) {
      if (p.step == step) throw RunEnded();
    };
    EXPECT_THROW(run_in_folder(name, options), RunEnded);
    EXPECT_EQ(run_in_folder(name, {.resume = true, .checkpoint_every = 2}).sha256, whole.sha256);
    expect_same_files("whole", name);
  }
  ref::numeric::set_num_threads(1);
}

TEST_F(LanguageTaskRun, RejectsAnotherTextWhenResuming) {
  run_in_folder("a");
  text_.training[0] = text_.training[0] == 0 ? 1 : 0;
  EXPECT_THAT(usage_error_message([&] { run_in_folder("a", {.resume = true}); }),
              HasSubstr("the data is not that"));
}

TEST_F(LanguageTaskRun, RejectsANormWithStatisticsOverSentencesBeforeMakingAFolder) {
  config_.train.encoder.norm = ref::model::InstanceNormOptions{};
  EXPECT_THAT(usage_error_message([&] { run_in_folder("a"); }),
              HasSubstr("norm.name is instance_norm where attention is causal"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a"));
}

TEST_F(LanguageTaskRun, C1_RejectsGivenWeights) {
  const LanguageTask task(config_, text_);
  EXPECT_THAT(ref::numeric::contract_message([&] { task.data_json("abc"); }),
              HasSubstr("weights are given; expected none"));
}

}  // namespace
}  // namespace normproof::verification::training
