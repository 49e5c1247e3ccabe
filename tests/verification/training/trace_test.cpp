#include "verification/training/trace.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "ref/io/atomic_file.hpp"
#include "ref/io/sha256.hpp"
#include "ref/io/tensor_file.hpp"
#include "ref/numeric/parallel.hpp"
#include "tests/ref/io/temporary_folder.hpp"
#include "tests/verification/training/samples.hpp"
#include "verification/training/run.hpp"

namespace normproof::verification::training {
namespace {

namespace fs = std::filesystem;
using ref::io::StoredTensor;
using ref::io::widen;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::map<std::string, StoredTensor> by_name(const fs::path& file) {
  std::map<std::string, StoredTensor> tensors;
  for (StoredTensor& tensor : ref::io::read_tensors(file)) {
    const std::string name = tensor.name;
    tensors[name] = std::move(tensor);
  }
  return tensors;
}

class TraceFolder : public ::testing::Test {
 protected:
  TraceSummary trace_in_folder(const std::string& name, TraceOptions options = {}) const {
    options.out = folder_ / name;
    return trace(config_, data_, options);
  }
  auto tensors(const std::string& file) const { return by_name(folder_ / file); }

  tests::ref::io::TemporaryFolder folder_;
  RunConfig config_ = small_run_config();
  Dataset data_ = small_dataset();
};

TEST_F(TraceFolder, HoldsEveryTensorOfTheSameTrainingRun) {
  config_.train.encoder.dropout = 0.25;
  const TraceSummary summary = trace_in_folder("t", {.steps = 6});
  const RunSummary whole = run(config_, data_, {.out = folder_ / "r"});
  ASSERT_EQ(summary.steps.size(), 6u);
  EXPECT_EQ(summary.steps[5].sha256, whole.sha256);
  EXPECT_EQ(summary.steps[5].loss, whole.training_loss);
  const auto initial = tensors("t/initial.safetensors");
  const auto first = tensors("t/step_0001.safetensors"), last = tensors("t/step_0006.safetensors");
  EXPECT_TRUE(initial.contains("class_weights"));
  EXPECT_EQ(first.at("tokens").shape, first.at("valid").shape);
  EXPECT_EQ(first.at("labels").shape, (std::vector<std::size_t>{3}));
  for (const char* name : {"layers.0.attention.weights", "layers.0.attention.weights.keep",
                           "layers.0.norm1.y", "layers.0.feed_forward.active.keep", "logits",
                           "loss", "grad_logits", "grad_layers.0.norm2.x", "grad_head.weight",
                           "grad_embedding.weight.rows", "grad_embedding.weight.row_ids"})
    EXPECT_TRUE(first.contains(name)) << name;
  const auto checkpoint = tensors("r/checkpoint.safetensors");
  for (const auto& [name, tensor] : checkpoint) {
    if (name.find('/') == std::string::npos) continue;
    EXPECT_EQ(last.at(name), tensor) << name;
    EXPECT_EQ(initial.at(name).shape, tensor.shape) << name;
  }
}

TEST_F(TraceFolder, ManifestHasTheHashOfEveryFile) {
  trace_in_folder("t", {.steps = 2, .suffix = ".npz"});
  const auto manifest = nlohmann::json::parse(ref::io::read_text(folder_ / "t/manifest.json"));
  EXPECT_EQ(manifest.at("format"), "normproof-trace-1");
  EXPECT_TRUE(manifest.at("certified").is_null());
  ASSERT_EQ(manifest.at("files").size(), 3u);
  for (const auto& entry : manifest.at("files"))
    EXPECT_EQ(
        entry.at("sha256"),
        ref::io::sha256(ref::io::read_text(folder_ / "t" / entry.at("file").get<std::string>())));
  EXPECT_EQ(manifest.at("steps").size(), 2u);
}

TEST_F(TraceFolder, CertifiedValuesAreTheNearestDoublesOfTheExactOnes) {
  for (const char* norm :
       {"layer_norm", "batch_norm", "power_norm", "power_norm_released", "none"}) {
    config_.train.encoder.norm = ref::model::norm_options(norm);
    const std::string exact = fmt::format("{}_exact", norm);
    const TraceSummary plain = trace_in_folder(norm, {.steps = 2});
    const TraceSummary certified = trace_in_folder(exact, {.steps = 2, .certified = true});
    EXPECT_GE(certified.bits, 2048) << norm;
    EXPECT_EQ(certified.steps[1].sha256, plain.steps[1].sha256) << norm;
    EXPECT_EQ(certified.tensors, plain.tensors) << norm;
    for (const TracedStep& step : certified.steps) EXPECT_GT(step.parameters.absolute, 0) << norm;
    // The error in the summary must agree with the error of the files.
    const auto values = tensors(fmt::format("{}/step_0002.safetensors", norm)),
               truth = tensors(fmt::format("{}/step_0002.safetensors", exact));
    double most = 0;
    for (const auto& [name, tensor] : values) {
      ASSERT_TRUE(truth.contains(name)) << name;
      EXPECT_EQ(truth.at(name).dtype, tensor.dtype) << name;
      if (!name.starts_with("parameter/")) continue;
      const auto a = widen(tensor), b = widen(truth.at(name)),
                 rest = widen(truth.at(fmt::format("{}_lo", name)));
      for (std::size_t i = 0; i < a.size(); ++i)
        most = std::max(most, std::fabs((a[i] - b[i]) - rest[i]));
    }
    const double said = certified.steps[1].parameters.absolute;
    // The difference of two doubles is exact. Only the remainder is rounded.
    EXPECT_LE(std::fabs(most - said), 0x1p-50 * said) << norm;
  }
}

/// With instance norm, the mean over the tokens equals beta for every input of the norm. So the
/// gradients of all parameters before the norm are exactly 0.
TEST_F(TraceFolder, ZeroTensorHasNoRelativeError) {
  config_.train.encoder.norm = ref::model::norm_options("instance_norm");
  const ExactDistance distance = trace_in_folder("exact", {.certified = true}).steps[0].gradients;
  trace_in_folder("double");
  const auto truth = tensors("exact/step_0001.safetensors"),
             values = tensors("double/step_0001.safetensors");
  const auto largest = [](const StoredTensor& tensor) {
    double most = 0;
    for (const double v : widen(tensor)) most = std::max(most, std::fabs(v));
    return most;
  };
  const char* const past = "grad_layers.0.feed_forward.second.weight";
  EXPECT_EQ(largest(truth.at(past)), 0);
  ASSERT_GT(largest(values.at(past)), 0);
  EXPECT_TRUE(distance.is_relative());
  EXPECT_GT(largest(truth.at(distance.tensor)), 0);
}

TEST_F(TraceFolder, CertifiedTraceIsTheSameOnManyThreads) {
  // The batch is large enough for several threads. Each thread has its own precision of balls.
  config_.batch_size = 7;
  for (auto& sequence : data_.training.sequences)
    while (sequence.size() < 40)
      sequence.push_back(4 + static_cast<std::int32_t>(sequence.size()) % 8);
  const auto text = [&](const char* name) {
    trace_in_folder(name, {.certified = true});
    return ref::io::read_text(folder_ / name / "step_0001.safetensors");
  };
  const std::string once = text("one");
  ref::numeric::set_num_threads(4);
  EXPECT_EQ(text("four"), once);
  EXPECT_EQ(ref::numeric::num_threads(), 4);
  ref::numeric::set_num_threads(1);
}

TEST_F(TraceFolder, TensorsOfAccumulatedBatchesHaveNumberedNames) {
  config_.train.accumulation = 2;
  trace_in_folder("t");
  const auto first = tensors("t/step_0001.safetensors");
  EXPECT_TRUE(first.contains("tokens.2"));
  EXPECT_TRUE(first.contains("logits.2"));
  EXPECT_FALSE(first.contains("grad_head.weight.2"));
}

TEST_F(TraceFolder, StartsFromGivenWeightsAsARunDoes) {
  config_.train.seed = 5;
  const auto weights = ref::train::initial_train_state(config_.train).parameters;
  config_.train.seed = 42;
  const TraceSummary summary = trace_in_folder("t", {.steps = 6, .weights = weights});
  const RunSummary whole = run(config_, data_, {.out = folder_ / "r", .weights = weights});
  EXPECT_EQ(summary.steps[5].sha256, whole.sha256);
  EXPECT_NE(summary.steps[0].sha256, trace_in_folder("random").steps[0].sha256);
  EXPECT_EQ(ref::io::read_text(folder_ / "t/data.json"),
            ref::io::read_text(folder_ / "r/data.json"));
  const auto initial = tensors("t/initial.safetensors");
  for (const auto& [name, values] : weights)
    EXPECT_EQ(widen(initial.at(fmt::format("parameter/{}", name))),
              std::vector<double>(values.begin(), values.end()));
}

TEST_F(TraceFolder, RejectedTraceLeavesNoFolder) {
  EXPECT_THAT(usage_error_message([&] { trace_in_folder("t", {.steps = 0}); }),
              HasSubstr("--steps is 0"));
  config_.train.learning_rate = -1;
  EXPECT_THAT(usage_error_message([&] { trace_in_folder("t"); }), HasSubstr("step 1: "));
  EXPECT_FALSE(fs::exists(folder_ / "t"));
  fs::create_directory(folder_ / "full");
  ref::io::write_file(folder_ / "full" / "a", "");
  EXPECT_NE(usage_error_message([&] { trace_in_folder("full"); }), "no error");
}

}  // namespace
}  // namespace normproof::verification::training
