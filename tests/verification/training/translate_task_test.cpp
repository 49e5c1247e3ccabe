#include "verification/training/translate_task.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/io/atomic_file.hpp"
#include "ref/numeric/elementary.hpp"
#include "ref/numeric/parallel.hpp"
#include "tests/ref/io/temporary_folder.hpp"
#include "tests/verification/training/samples.hpp"
#include "tests/verification/training/small_translation.hpp"
#include "verification/training/run.hpp"
#include "verification/training/translator.hpp"

namespace normproof::verification::training {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct RunStopped {};

class TranslateTaskRun : public ::testing::Test {
 protected:
  RunSummary run_in_folder(const std::string& name, RunOptions options = {}) {
    TranslateTask task(config_, pairs_);
    options.out = folder_ / name;
    return run(config_, task, options);
  }
  std::string text(const std::string& file) const { return ref::io::read_text(folder_ / file); }
  void expect_equal_files(const std::string& a, const std::string& b) const {
    for (const char* file : {"config.json", "data.json", "metrics.jsonl", "checkpoint.safetensors"})
      EXPECT_EQ(text(a + "/" + file), text(b + "/" + file)) << file;
  }

  tests::ref::io::TemporaryFolder folder_;
  RunConfig config_ = small_translation_config();
  PairData pairs_ = small_pairs();
};

TEST_F(TranslateTaskRun, LearnsAndRecordsLossPerplexityAndBleu) {
  config_.epochs = 8;
  const RunSummary summary = run_in_folder("a");
  const TranslateTask task(config_, pairs_);
  auto untrained = task.initial_state();
  EXPECT_LT(summary.validation_loss, task.validate(untrained).loss - 0.5);
  EXPECT_EQ(quality(summary.validation, "perplexity"), ref::numeric::exp(summary.validation_loss));
  EXPECT_THAT(text("a/metrics.jsonl"),
              AllOf(HasSubstr("\"perplexity\":"), HasSubstr("\"validation_bleu\":"),
                    HasSubstr("\"decoder.layers.0.norm3\":")));
  EXPECT_EQ(summary.steps, 8 * task.steps_per_epoch());
}

TEST_F(TranslateTaskRun, BleuCoversTheFirstValidationPairsOrIsAbsent) {
  const TranslateTask task(config_, pairs_);
  auto state = task.initial_state();
  const auto& text = pairs_.text.validation;
  const std::vector<std::string> first(text.source.begin(), text.source.begin() + 3),
      expected(text.target.begin(), text.target.begin() + 3);
  EXPECT_EQ(
      quality(task.validate(state).qualities, "bleu"),
      corpus_bleu(translate(config_, pairs_.words, state, first), expected, translation_tokenizer)
          .score);
  config_.translation.bleu_pairs = 0;
  run_in_folder("a");
  EXPECT_THAT(this->text("a/metrics.jsonl"), Not(HasSubstr("bleu")));
}

TEST_F(TranslateTaskRun, NumberOfStepsPerEpochIsRoundedUp) {
  EXPECT_EQ(TranslateTask(config_, pairs_).steps_per_epoch(), 4u);
  config_.train.accumulation = 3;
  EXPECT_EQ(TranslateTask(config_, pairs_).steps_per_epoch(), 2u);
}

TEST_F(TranslateTaskRun, FilesAreEqualForAnyThreadsAndAfterResuming) {
  config_.translator.encoder.norm = ref::model::PowerNormOptions{};
  config_.translator.dropout = 0.25;
  config_.train.accumulation = 2;
  config_.keep_checkpoints = 2;
  const RunSummary whole = run_in_folder("whole", {.checkpoint_every = 2});
  ref::numeric::set_num_threads(3);
  for (const std::size_t step : {1, 2, 3}) {
    const std::string name = "killed" + std::to_string(step);
    RunOptions options{.checkpoint_every = 2};
    options.after_step = [=](const RunProgress& p) {
      if (p.step == step) throw RunStopped();
    };
    EXPECT_THROW(run_in_folder(name, options), RunStopped);
    EXPECT_EQ(run_in_folder(name, {.resume = true, .checkpoint_every = 2}).sha256, whole.sha256);
    expect_equal_files("whole", name);
  }
  ref::numeric::set_num_threads(1);
}

// The Gamma of each norm must have the weight of that norm, even if the two sides have different
// norms.
TEST_F(TranslateTaskRun, MaximumGammaIsWeightedByTheNormOfItsSide) {
  const auto first_line = [&](const std::string& name) {
    run_in_folder(name);
    const std::string lines = text(name + "/metrics.jsonl");
    return lines.substr(0, lines.find('\n'));
  };
  EXPECT_THAT(first_line("none"), Not(HasSubstr("max_weighted_gamma")));
  config_.translator.decoder.norm = ref::model::PowerNormOptions{.alpha_backward = 0.5};
  const std::string decoder = first_line("decoder");
  EXPECT_THAT(decoder, HasSubstr("max_weighted_gamma"));
  config_.translator.encoder.norm = ref::model::PowerNormOptions{.alpha_backward = 1};
  const auto gamma = [](const std::string& line) {
    return std::stod(line.substr(line.find("max_weighted_gamma\":") + 20));
  };
  EXPECT_GT(gamma(decoder), 0);
  EXPECT_GT(gamma(first_line("both")), 0);
}

TEST_F(TranslateTaskRun, RejectsOtherPairsWhenResuming) {
  run_in_folder("a");
  pairs_.text.test.target[0] += " more";
  EXPECT_THAT(usage_error_message([&] { run_in_folder("a", {.resume = true}); }),
              HasSubstr("the data is not that"));
}

TEST_F(TranslateTaskRun, RejectsAnInvalidSideBeforeMakingAFolder) {
  config_.translator.decoder.norm = ref::model::InstanceNormOptions{};
  EXPECT_THAT(usage_error_message([&] { run_in_folder("a"); }),
              HasSubstr("decoder_norm.name is instance_norm where attention is causal"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a"));
}

TEST_F(TranslateTaskRun, C1_RejectsGivenWeights) {
  const TranslateTask task(config_, pairs_);
  EXPECT_THAT(ref::numeric::contract_message([&] { task.data_json("abc"); }),
              HasSubstr("weights are given; expected none"));
}

}  // namespace
}  // namespace normproof::verification::training
