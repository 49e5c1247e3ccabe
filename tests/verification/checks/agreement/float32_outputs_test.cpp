#include "verification/checks/agreement/float32_outputs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "verification/golden/recipes/corpus.hpp"

namespace normproof::verification::checks::agreement {
namespace {

using golden::corpus::Case;
using ref::io::DType;
using ref::io::StoredTensor;

const StoredTensor* find_tensor(const std::vector<StoredTensor>& tensors, std::string_view name) {
  return golden::corpus::find(tensors, name);
}

/// Returns the case with this path from the quick tier.
Case find_case(std::string_view path) {
  for (const Case& c : golden::recipes::corpus(golden::corpus::Tier::quick))
    if (golden::corpus::case_folder(c) == path) return c;
  ADD_FAILURE() << "no case " << path;
  return {};
}

TEST(Float32NormOutputs, ExistForExactlyFourLayersInThreeFormats) {
  const auto device = gpu::device::simulated_device(4);
  std::map<std::string, int> answered;
  for (const Case& c : golden::recipes::corpus(golden::corpus::Tier::quick)) {
    const std::string op = golden::corpus::case_operation_name(c);
    const bool is_one =
        op == "layer_norm" || op == "rms_norm" || op == "add_layer_norm" || op == "add_rms_norm";
    if (!is_one && c.dtype != DType::bfloat16) continue;
    const auto answer = run_float32_norm_on_device(*device, c);
    if (answer) ++answered[op];
    const bool is_storage_format =
        c.dtype == DType::float32 || c.dtype == DType::bfloat16 || c.dtype == DType::float16;
    EXPECT_EQ(answer.has_value(), is_one && is_storage_format) << golden::corpus::case_folder(c);
  }
  EXPECT_EQ(answered.size(), 4u);
  EXPECT_GT(answered["layer_norm"], 60);
  EXPECT_GT(answered["rms_norm"], 60);
  EXPECT_GT(answered["add_layer_norm"], 40);
  EXPECT_GT(answered["add_rms_norm"], 40);
}

TEST(Float32NormOutputs, HaveTheDTypesOfTheCase) {
  const auto device = gpu::device::simulated_device(4);
  const auto answer = run_float32_norm_on_device(
      *device, find_case("quick/layer_norm/parameters_in_float32-5x12-float16"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(find_tensor(*answer, "y")->dtype, DType::float16);
  EXPECT_EQ(find_tensor(*answer, "grad_x")->dtype, DType::float16);
  EXPECT_EQ(find_tensor(*answer, "grad_gamma")->dtype, DType::float32);
  EXPECT_EQ(find_tensor(*answer, "mean")->dtype, DType::float32);
  EXPECT_EQ(find_tensor(*answer, "mean")->shape, (std::vector<std::size_t>{5}));
  EXPECT_EQ(find_tensor(*answer, "y")->shape, (std::vector<std::size_t>{5, 12}));
}

TEST(Float32NormOutputs, HaveTheShapesOfABatchOfSentences) {
  const auto device = gpu::device::simulated_device(4);
  const auto answer =
      run_float32_norm_on_device(*device, find_case("quick/rms_norm/random-3x5x6-bfloat16"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(find_tensor(*answer, "y")->shape, (std::vector<std::size_t>{3, 5, 6}));
  EXPECT_EQ(find_tensor(*answer, "rstd")->shape, (std::vector<std::size_t>{3, 5}));
  EXPECT_EQ(find_tensor(*answer, "mean"), nullptr);
}

TEST(Float32NormOutputs, SumIsReturnedInTheFormatOfTheInputs) {
  const auto device = gpu::device::simulated_device(4);
  const Case c = find_case("quick/add_layer_norm/parameters_in_float32-5x12-float16");
  const auto answer = run_float32_norm_on_device(*device, c);
  ASSERT_TRUE(answer);
  EXPECT_EQ(find_tensor(*answer, "sum")->dtype, DType::float16);
  EXPECT_EQ(find_tensor(*answer, "sum")->shape, (std::vector<std::size_t>{5, 12}));
  EXPECT_EQ(find_tensor(*answer, "grad_gamma")->dtype, DType::float32);
  EXPECT_EQ(find_tensor(*answer, "rstd"), nullptr);
  Case without = c;
  std::erase_if(without.inputs, [](const StoredTensor& t) { return t.name == "grad_sum"; });
  const auto alone = run_float32_norm_on_device(*device, without);
  ASSERT_TRUE(alone);
  EXPECT_EQ(ref::io::widen(*find_tensor(*alone, "y")), ref::io::widen(*find_tensor(*answer, "y")));
  EXPECT_NE(ref::io::widen(*find_tensor(*alone, "grad_x")),
            ref::io::widen(*find_tensor(*answer, "grad_x")));
}

TEST(Float32NormOutputs, AreDeclinedForCastsAndMixedFormats) {
  const auto device = gpu::device::simulated_device(4);
  Case c = find_case("quick/rms_norm/random-3x5x6-bfloat16");
  c.options = ref::model::NormOptions(
      ref::model::RMSNormOptions{.storage = ref::model::StorageFormat::bfloat16});
  EXPECT_FALSE(run_float32_norm_on_device(*device, c));
  c = find_case("quick/rms_norm/random-3x5x6-bfloat16");
  for (StoredTensor& tensor : c.inputs)
    if (tensor.name == "gamma")
      tensor = ref::io::make_tensor("gamma", DType::float64, tensor.shape, ref::io::widen(tensor));
  EXPECT_FALSE(run_float32_norm_on_device(*device, c));
}

}  // namespace
}  // namespace normproof::verification::checks::agreement
