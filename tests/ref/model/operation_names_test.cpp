#include "ref/model/operation_names.hpp"

#include <gtest/gtest.h>

#include "ref/model/operation.hpp"

namespace normproof::ref::model {
namespace {

TEST(OperationNames, FindAnOperationInAnySpelling) {
  for (const std::string& name : operation_names()) EXPECT_EQ(find_operation_name(name), name);
  for (const char* text : {"layernorm", "LayerNorm", "Layer-Norm", "layer norm", "LAYER_NORM"})
    EXPECT_EQ(find_operation_name(text), "layer_norm") << text;
  EXPECT_EQ(find_operation_name("RMSNorm"), "rms_norm");
  EXPECT_EQ(find_operation_name("logsumexp"), "log_sum_exp");
  EXPECT_EQ(find_operation_name("AdamW"), "adamw");
}

TEST(OperationNames, FindAnOperationByTheNamesOfLibraries) {
  EXPECT_EQ(find_operation_name("swish"), "silu");
  EXPECT_EQ(find_operation_name("SDPA"), "attention");
  EXPECT_EQ(find_operation_name("merge_attn_states"), "merge_attention_states");
  EXPECT_EQ(find_operation_name("combine_lse"), "merge_attention_states");
  EXPECT_EQ(find_operation_name("fused_add_rms_norm"), "add_rms_norm");
  EXPECT_EQ(find_operation_name("BatchNorm2d"), "batch_norm");
  EXPECT_EQ(find_operation_name("CrossEntropyLoss"), "cross_entropy");
  EXPECT_EQ(find_operation_name("TransformerEncoderLayer"), "encoder_layer");
}

TEST(OperationNames, FindNoOperationForOtherTexts) {
  for (const char* text : {"", "_", "layer_nrom", "norm", "*_norm"})
    EXPECT_EQ(find_operation_name(text), std::nullopt) << text;
}

TEST(OperationNames, AreAcceptedWhereAnOperationIsNamed) {
  EXPECT_EQ(operation_name(operation("swish")), "silu");
  EXPECT_EQ(norm_name(norm_options("RMSNorm")), "rms_norm");
  EXPECT_EQ(optimizer_name(optimizer_options("AdamW")), "adamw");
}

}  // namespace
}  // namespace normproof::ref::model
