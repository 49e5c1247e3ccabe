#include "verification/training/pytorch_weights.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "ref/train/train_state.hpp"
#include "tests/verification/checks/compare/expect.hpp"
#include "tests/verification/training/samples.hpp"

namespace normproof::verification::training {
namespace {

using ref::io::DType;
using ref::io::StoredTensor;
using ref::model::NormPlacement;
using ref::tensor::NamedTensors;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

ref::model::TrainConfig pre_norm_config() {
  ref::model::TrainConfig config = small_run_config().train;
  config.encoder.placement = NormPlacement::pre;
  return config;
}

/// Returns weights whose elements all differ. Among them are -0 and a subnormal number.
NamedTensors<double> parameters_with_distinct_elements(const ref::model::EncoderConfig& config) {
  NamedTensors<double> parameters;
  double next = 0x1.23456789abcdep-3;
  for (const auto& [name, shape] : ref::encoder::parameter_shapes(config)) {
    auto values = ref::tensor::empty_tensor<double>(shape);
    for (double& v : values) v = next = -next * (1 + 0x1p-40);
    parameters.set(name, std::move(values));
  }
  parameters.at("head.bias").data()[0] = -0.0;
  parameters.at("head.bias").data()[1] = 0x1p-1074;
  return parameters;
}

class PytorchWeights : public ::testing::Test {
 protected:
  std::string message() const {
    return file_error_message([&] { from_pytorch(config_.encoder, tensors_, "w.npz"); });
  }
  StoredTensor& at(const std::string& name) {
    return *std::ranges::find(tensors_, name, &StoredTensor::name);
  }

  ref::model::TrainConfig config_ = pre_norm_config();
  NamedTensors<double> parameters_ = parameters_with_distinct_elements(config_.encoder);
  std::vector<StoredTensor> tensors_ = to_pytorch(config_.encoder, parameters_);
};

TEST_F(PytorchWeights, HaveTheNamesAndShapesOfPytorch) {
  std::vector<std::string> lines;
  for (const StoredTensor& tensor : tensors_) {
    lines.push_back(tensor.name + " " + ref::tensor::to_string(tensor.shape));
    EXPECT_EQ(tensor.dtype, DType::float64) << tensor.name;
  }
  // In PyTorch 1.13, `for n, p in module.named_parameters(): print(n, list(p.shape))` prints the
  // expected text.
  EXPECT_THAT(
      lines,
      ElementsAre("embedding.weight [12, 4]", "encoder.layers.0.self_attn.in_proj_weight [12, 4]",
                  "encoder.layers.0.self_attn.in_proj_bias [12]",
                  "encoder.layers.0.self_attn.out_proj.weight [4, 4]",
                  "encoder.layers.0.self_attn.out_proj.bias [4]",
                  "encoder.layers.0.norm1.weight [4]", "encoder.layers.0.norm1.bias [4]",
                  "encoder.layers.0.linear1.weight [6, 4]", "encoder.layers.0.linear1.bias [6]",
                  "encoder.layers.0.linear2.weight [4, 6]", "encoder.layers.0.linear2.bias [4]",
                  "encoder.layers.0.norm2.weight [4]", "encoder.layers.0.norm2.bias [4]",
                  "encoder.norm.weight [4]", "encoder.norm.bias [4]", "head.weight [3, 4]",
                  "head.bias [3]"));
}

TEST_F(PytorchWeights, ConvertToPytorchAndBackBitForBit) {
  for (const auto placement : {NormPlacement::post, NormPlacement::pre}) {
    for (const std::size_t layers : {1, 2, 11}) {
      config_.encoder.placement = placement;
      config_.encoder.num_layers = layers;
      parameters_ = parameters_with_distinct_elements(config_.encoder);
      tensors_ = to_pytorch(config_.encoder, parameters_);
      const auto again = from_pytorch(config_.encoder, tensors_, "w.npz");
      EXPECT_EQ(again.names(), parameters_.names());
      for (const auto& [name, values] : parameters_) EXPECT_BITS_EQ(again.at(name), values) << name;
    }
  }
}

TEST_F(PytorchWeights, AreWidenedExactlyFromFloat32) {
  at("head.bias") = ref::io::make_tensor("head.bias", DType::float32, {3},
                                         std::vector<double>{0x1.fffffep-1, -0x1p-149, 3});
  const auto again = from_pytorch(config_.encoder, tensors_, "w.npz");
  EXPECT_THAT(again.at("head.bias"), ElementsAre(0x1.fffffep-1, -0x1p-149, 3));
}

TEST_F(PytorchWeights, MayHaveTheNamesOfWrappedModules) {
  const auto whole = tensors_;
  for (const char* prefix : {"module.", "_orig_mod.", "_orig_mod.module.", "module._orig_mod."}) {
    tensors_ = whole;
    for (StoredTensor& tensor : tensors_) tensor.name = prefix + tensor.name;
    const auto again = from_pytorch(config_.encoder, tensors_, "w.npz");
    for (const auto& [name, values] : parameters_) EXPECT_BITS_EQ(again.at(name), values) << name;
  }
  tensors_ = whole;
  at("encoder.norm.bias").name = "encoder._orig_mod.norm.bias";
  EXPECT_EQ(message(), "no error");
  tensors_.push_back(at("head.bias"));
  tensors_.back().name = "module.head.bias";
  EXPECT_EQ(message(), "w.npz: module.head.bias is a second 'head.bias'; expected one");
  tensors_.back().name = "submodule.head.bias";
  EXPECT_THAT(message(), HasSubstr("submodule.head.bias is no parameter"));
}

TEST_F(PytorchWeights, ErrorsNameAbsentExtraAndMisshapenTensors) {
  const auto whole = tensors_;
  std::erase_if(tensors_, [](const StoredTensor& t) { return t.name == "encoder.norm.bias"; });
  EXPECT_EQ(
      message(),
      "w.npz: encoder.norm.bias is absent; expected float64 [4], as the configuration has it");
  tensors_ = whole;
  tensors_.push_back(tensors_.back());
  tensors_.back().name = "encoder.layers.1.norm1.bias";
  EXPECT_EQ(message(),
            "w.npz: encoder.layers.1.norm1.bias is no parameter of the configuration; expected its "
            "17 parameters alone; num_layers is 1");
  tensors_ = whole;
  at("encoder.layers.0.linear1.weight").shape = {4, 6};
  EXPECT_EQ(message(),
            "w.npz: encoder.layers.0.linear1.weight is float64 [4, 6]; expected float64 [6, 4], as "
            "the configuration has it");
  tensors_ = whole;
  at("head.bias") =
      ref::io::make_tensor("head.bias", DType::int64, {3}, std::vector<double>{1, 2, 3});
  EXPECT_THAT(message(), HasSubstr("head.bias is int64 [3]; expected float64 [3]"));
  at("head.bias") = ref::io::make_tensor(
      "head.bias", {3}, std::vector<double>{1, 2, -std::numeric_limits<double>::infinity()});
  EXPECT_EQ(message(), "w.npz: head.bias at [2] is -inf; expected finite elements");
}

TEST_F(PytorchWeights, AreRejectedForAnyNormButLayerNorm) {
  for (const std::string& norm : ref::model::norm_names()) {
    if (norm == "layer_norm") continue;
    config_.encoder.norm = ref::model::norm_options(norm);
    const std::string expected =
        "norm.name is '" + norm +
        "', which torch.nn.TransformerEncoderLayer does not have; expected layer_norm";
    EXPECT_EQ(usage_error_message([&] { to_pytorch(config_.encoder, parameters_); }), expected);
    EXPECT_EQ(usage_error_message([&] { from_pytorch(config_.encoder, tensors_, "w.npz"); }),
              expected);
  }
}

}  // namespace
}  // namespace normproof::verification::training
