#include "ref/model/operation_info.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ref/model/norm_layers.hpp"
#include "ref/numeric/errors.hpp"

namespace normproof::ref::model {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> operand_names(const std::vector<OperandInfo>& entries) {
  std::vector<std::string> found;
  for (const OperandInfo& entry : entries) found.push_back(entry.name);
  return found;
}

TEST(OperationInfo, DescribesEachOperationOnce) {
  EXPECT_EQ(operations().size(), operation_names().size());
  for (const std::string& name : operation_names()) {
    const Operation by_name = operation(name);
    EXPECT_EQ(operation_info(name).name, name);
    EXPECT_EQ(&operation_info(by_name), &operation_info(name));
    EXPECT_EQ(operation_info(name).kind == OperationKind::function,
              std::holds_alternative<FunctionOptions>(by_name));
  }
}

TEST(OperationInfo, RejectsUnknownNames) {
  EXPECT_THROW(operation_info("softmaxx"), numeric::UsageError);
}

TEST(OperationInfo, ListsRequiredOperandsFirst) {
  for (const OperationInfo& info : operations()) {
    EXPECT_TRUE(
        std::ranges::is_partitioned(info.operands, std::logical_not{}, &OperandInfo::optional))
        << info.name;
    ASSERT_FALSE(info.operands.empty()) << info.name;
    EXPECT_FALSE(info.operands.front().optional) << info.name;
    EXPECT_FALSE(info.outputs.empty()) << info.name;
  }
  EXPECT_THAT(operand_names(operation_info("add_rms_norm").operands),
              ElementsAre("x", "residual", "grad_y", "grad_sum", "gamma", "beta"));
  EXPECT_THAT(operand_names(operation_info("attention").operands),
              ElementsAre("q", "k", "v", "grad_y", "bias", "sinks", "valid"));
  EXPECT_THAT(operand_names(operation_info("cross_entropy").operands),
              ElementsAre("logits", "targets", "class_weights", "valid"));
}

TEST(OperationInfo, EveryGradientHasTheShapeOfItsOperand) {
  for (const OperationInfo& info : operations())
    for (const OperandInfo& output : info.outputs) {
      if (!output.name.starts_with("grad_")) continue;
      const OperandInfo* const operand = info.operand(output.name.substr(5));
      ASSERT_NE(operand, nullptr) << info.name << " " << output.name;
      EXPECT_EQ(operand->shape, output.shape) << info.name << " " << output.name;
    }
}

TEST(OperationInfo, YHasTheShapeOfItsGradient) {
  for (const OperationInfo& info : operations()) {
    const OperandInfo* const grad_y = info.operand("grad_y");
    if (grad_y == nullptr) continue;
    EXPECT_EQ(info.outputs.front().name, "y") << info.name;
    EXPECT_EQ(info.outputs.front().shape, grad_y->shape) << info.name;
    EXPECT_EQ(info.reduces, grad_y->shape == "[...]") << info.name;
  }
}

TEST(OperationInfo, MasksAreBoolean) {
  std::vector<std::string> functions;
  for (const OperationInfo& info : operations()) {
    if (!info.has_mask_operand()) continue;
    EXPECT_EQ(info.operand("valid")->type, OperandType::boolean) << info.name;
    if (info.kind == OperationKind::function) functions.push_back(info.name);
  }
  EXPECT_THAT(functions, ElementsAre("softmax", "log_sum_exp", "attention", "cross_entropy"));
}

TEST(OperationInfo, RecognizesOperandsWhoseFirstAxisIsTheSample) {
  EXPECT_TRUE((OperandInfo{"x", "[N,D] or [B,T,D]"}.has_samples()));
  EXPECT_TRUE((OperandInfo{"x", "[..., D]"}.has_samples()));
  EXPECT_TRUE((OperandInfo{"valid", "[B,S]"}.has_samples()));
  EXPECT_FALSE((OperandInfo{"gamma", "[D]"}.has_samples()));
  EXPECT_FALSE((OperandInfo{"cos", "[T,P]"}.has_samples()));
  EXPECT_FALSE((OperandInfo{"loss", "[1]"}.has_samples()));
}

TEST(OperationInfo, IndependenceOfALayerFollowsFromItsStatistics) {
  const auto independence = [](const char* name) { return operation_info(name).independence; };
  EXPECT_EQ(independence("dyt"), Independence::element);
  EXPECT_EQ(independence("layer_norm"), Independence::row);
  EXPECT_EQ(independence("group_scaling"), Independence::row);
  EXPECT_EQ(independence("group_norm"), Independence::sample);
  EXPECT_EQ(independence("batch_norm"), Independence::none);
  EXPECT_EQ(independence("power_norm_released"), Independence::none);
  for (const NormLayer& layer : norm_layers()) {
    const OperationInfo& info = operation_info(layer.name);
    EXPECT_EQ(info.independence == Independence::none, !layer.state.empty()) << layer.name;
    EXPECT_EQ(info.state.size(), layer.state.size()) << layer.name;
    for (const NormParameter& parameter : layer.parameters)
      EXPECT_TRUE(info.takes(parameter.name)) << layer.name << " " << parameter.name;
  }
}

TEST(OperationInfo, EqualCompositionsReferToExistingOperations) {
  for (const OperationInfo& info : operations())
    for (const EqualForm& form : info.equal_forms) {
      EXPECT_NO_THROW(operation_info(form.operation)) << info.name;
      const bool gated = form.combination == Combination::times_gate;
      EXPECT_TRUE(info.takes(gated ? "gate" : "residual")) << info.name;
    }
  EXPECT_THAT(operation_info("softmax").equal_forms, IsEmpty());
}

TEST(OperationInfo, EachNameBelongsToOneOptionType) {
  EXPECT_TRUE(is_operation_name<SoftmaxOptions>("softmax"));
  EXPECT_FALSE(is_operation_name<SoftmaxOptions>("log_softmax"));
  EXPECT_TRUE(is_operation_name<NoneOptions>("none"));
  EXPECT_TRUE(is_operation_name<EncoderOptions>("encoder"));
  EXPECT_TRUE(is_operation_name<DecodingOptions>("decoding"));
  EXPECT_TRUE(is_operation_name<AdamWOptions>("adamw"));
  EXPECT_FALSE(is_operation_name<AdamWOptions>("adam"));
}

}  // namespace
}  // namespace normproof::ref::model
