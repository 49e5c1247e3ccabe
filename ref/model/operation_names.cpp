#include "ref/model/operation_names.hpp"

#include <utility>

#include "ref/model/operation_info.hpp"

namespace normproof::ref::model {
namespace {

/// Other names of operations, and the operations.
constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"fused_add_rms_norm", "add_rms_norm"},
    {"residual_rms_norm", "add_rms_norm"},
    {"fused_add_layer_norm", "add_layer_norm"},
    {"residual_layer_norm", "add_layer_norm"},
    {"swish", "silu"},
    {"silu_and_mul", "swiglu"},
    {"logistic", "sigmoid"},
    {"expit", "sigmoid"},
    {"log_expit", "log_sigmoid"},
    {"squared_relu", "relu_squared"},
    {"relu_square", "relu_squared"},
    {"square_relu", "relu_squared"},
    {"relu2", "relu_squared"},
    {"sdpa", "attention"},
    {"scaled_dot_product_attention", "attention"},
    {"flash_attention", "attention"},
    {"merge_state", "merge_attention_states"},
    {"merge_states", "merge_attention_states"},
    {"merge_attn_states", "merge_attention_states"},
    {"combine_lse", "merge_attention_states"},
    {"lse_merge", "merge_attention_states"},
    {"rotary", "rope"},
    {"rotary_embedding", "rope"},
    {"rms_norm_gated", "gated_rms_norm"},
    {"fused_rms_norm_gated", "gated_rms_norm"},
    {"fused_rms_norm_swish_gate", "gated_rms_norm"},
    {"mixer2_rms_norm_gated", "gated_rms_norm"},
    {"qwen3_next_rms_norm_gated", "gated_rms_norm"},
    {"zamba2_rms_norm_gated", "gated_rms_norm"},
    {"l2_normalize", "l2_norm"},
    {"normalize", "l2_norm"},
    {"quantize_fp8", "quantize"},
    {"fp8_quantize", "quantize"},
    {"quantize_int8", "quantize"},
    {"int8_quantize", "quantize"},
    {"scaled_fp8_quant", "quantize"},
    {"static_scaled_fp8_quant", "quantize"},
    {"dynamic_scaled_fp8_quant", "quantize"},
    {"dynamic_per_token_scaled_fp8_quant", "quantize"},
    {"scaled_int8_quant", "quantize"},
    {"per_token_quant", "quantize"},
    {"per_token_group_quant", "quantize"},
    {"per_token_group_quant_fp8", "quantize"},
    {"per_token_group_quant_int8", "quantize"},
    {"to_mx", "quantize"},
    {"to_mxfp8", "quantize"},
    {"quantize_mxfp8", "quantize"},
    {"dequantize_fp8", "dequantize"},
    {"fp8_dequantize", "dequantize"},
    {"dequantize_int8", "dequantize"},
    {"int8_dequantize", "dequantize"},
    {"dequantize_mxfp8", "dequantize"},
    {"dynamic_tanh", "dyt"},
    {"gelu_new", "gelu_tanh"},
    {"gelu_pytorch_tanh", "gelu_tanh"},
    {"cross_entropy_loss", "cross_entropy"},
    {"batch_norm_1d", "batch_norm"},
    {"batch_norm_2d", "batch_norm"},
    {"instance_norm_1d", "instance_norm"},
    {"instance_norm_2d", "instance_norm"},
    {"transformer_encoder_layer", "encoder_layer"},
    {"transformer_decoder_layer", "decoder_layer"}};

/// Returns the letters and digits of a name, in lower case.
std::string squash(std::string_view name) {
  std::string squashed;
  for (const char c : name) {
    if (c == '_' || c == '-' || c == ' ') continue;
    squashed += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return squashed;
}

}  // namespace

std::optional<std::string> find_operation_name(std::string_view text) {
  const std::string squashed = squash(text);
  for (const OperationInfo& info : operations())
    if (squashed == squash(info.name)) return info.name;
  for (const auto& [other, name] : kOtherNames)
    if (squashed == squash(other)) return std::string(name);
  return std::nullopt;
}

}  // namespace normproof::ref::model
