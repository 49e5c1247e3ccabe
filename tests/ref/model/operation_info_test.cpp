#include "verification/operands/operands.hpp"

#include <gtest/gtest.h>

#include "ref/model/operation.hpp"

namespace normproof::verification::operands {
namespace {

TEST(Operands, TheFunctionsWithSumsAndAttentionTakeAMask) {
  for (const std::string& function : ref::model::function_names()) {
    const bool sums =
        function == "softmax" || function == "log_softmax" || function == "log_sum_exp";
    EXPECT_EQ(takes_mask(function), (sums && function != "log_softmax") ||
                                        function == "attention" || function == "cross_entropy")
        << function;
  }
}

TEST(Operands, TheGatedFunctionsTakeAGate) {
  for (const std::string& function : ref::model::function_names())
    EXPECT_EQ(takes_gate(function), function.ends_with("glu")) << function;
}

TEST(Operands, TheFirstGivesACaseItsShape) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(operands_of("softmax"), (Names{"x"}));
  EXPECT_EQ(operands_of("swiglu"), (Names{"x", "gate"}));
  EXPECT_EQ(operands_of("add_rms_norm"), (Names{"x", "residual"}));
  EXPECT_EQ(operands_of("attention"), (Names{"q", "k", "v"}));
  EXPECT_EQ(operands_of("rope"), (Names{"x", "cos", "sin"}));
  EXPECT_EQ(operands_of("cross_entropy"), (Names{"logits", "targets"}));
}

TEST(Operands, WhatAddsAResidualSaysSo) {
  for (const std::string& function : ref::model::function_names())
    EXPECT_EQ(adds_residual(function), function.starts_with("add_")) << function;
}

TEST(Operands, WhatIsLeftOutIsEmpty) {
  const EvalInputs inputs;
  EXPECT_TRUE(inputs.steps.empty() && inputs.state.empty() && inputs.function.tensors.empty());
  EXPECT_TRUE(inputs.encoder.masks.empty() && inputs.encoder.labels.empty());
  EXPECT_EQ(inputs.encoder.mode, ref::model::Mode::training);
  EXPECT_TRUE(inputs.optimizer.gradients.empty());
}

}  // namespace
}  // namespace normproof::verification::operands
