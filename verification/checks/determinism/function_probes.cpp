#include "ref/nn/merge_attention_states.hpp"
#include "ref/nn/rotary_embedding.hpp"
#include "ref/nn/scaled_dot_product_attention.hpp"
#include "ref/norm/gated_rms_norm.hpp"
#include "ref/norm/l2_norm.hpp"
#include "ref/train/cross_entropy.hpp"
#include "verification/checks/determinism/probe.hpp"

namespace normproof::verification::checks::determinism {
namespace {

namespace nn = ref::nn;
using ref::tensor::Mask;
using ref::tensor::Tensor;

void add_tensor_hashes(const Tensor<double>& t, Values& values) {
  if (t.size() <= 1024)
    values.add(t);
  else
    values.add_block_hashes(t);
}

struct Heads {
  std::size_t samples, heads, kv_heads, tokens, keys, features, value_features;
};

void run_attention(const std::string& probe, const Heads& h, bool masked,
                   const ref::model::AttentionOptions& options, bool with_sinks, bool with_bias,
                   Values& values) {
  Inputs inputs(probe);
  const Tensor<double> q = inputs.draw_uniforms({h.samples, h.heads, h.tokens, h.features}, -3, 3);
  const Tensor<double> k = inputs.draw_uniforms({h.samples, h.kv_heads, h.keys, h.features}, -3, 3);
  const Tensor<double> v =
      inputs.draw_uniforms({h.samples, h.kv_heads, h.keys, h.value_features}, -1, 1);
  const Tensor<double> grad_y =
      inputs.draw_uniforms({h.samples, h.heads, h.tokens, h.value_features}, -1, 1);
  Mask valid;
  if (masked) {
    valid = ref::tensor::empty_tensor<bool>({h.samples, h.keys});
    for (bool& key : valid) key = inputs.below(3) != 0;
  }
  nn::ScoreInputs<double> extra;
  if (with_sinks) extra.sinks = inputs.draw_uniforms(ref::tensor::Shape{h.heads}, -3, 3);
  if (with_bias) {
    extra.bias = inputs.draw_uniforms({1, h.heads, h.tokens, h.keys}, -3, 3);
    extra.bias_visible =
        ref::tensor::empty_tensor<bool>(ref::tensor::shape_of(std::as_const(extra.bias)));
    for (bool& key : extra.bias_visible) key = inputs.below(5) != 0;
  }
  const auto forward = nn::scaled_dot_product_attention(q, k, v, valid, options, extra);
  add_tensor_hashes(forward.y, values);
  if (ref::tensor::is_given(forward.log_sum_exp)) add_tensor_hashes(forward.log_sum_exp, values);
  const auto gradients =
      nn::scaled_dot_product_attention_backward(grad_y, k, v, valid, forward.saved, options);
  for (const Tensor<double>* gradient : {&gradients.q, &gradients.k, &gradients.v})
    add_tensor_hashes(*gradient, values);
  if (with_sinks) add_tensor_hashes(gradients.sinks, values);
  if (with_bias) add_tensor_hashes(gradients.bias, values);
}

void run_cross_entropy(const std::string& probe, std::size_t rows, std::size_t classes,
                       double smoothing, Values& values) {
  Inputs inputs(probe);
  const Tensor<double> logits = inputs.draw_uniforms({rows, classes}, -8, 8);
  const Tensor<double> weights = inputs.draw_uniforms(ref::tensor::Shape{classes}, 0.25, 4);
  std::vector<int> targets;
  for (std::size_t i = 0; i < rows; ++i)
    targets.push_back(i % 5 == 3 ? ref::train::kIgnored : static_cast<int>(inputs.below(classes)));
  const ref::model::LossOptions options{.label_smoothing = smoothing};
  const auto forward = ref::train::cross_entropy(logits, targets, weights, options);
  add_tensor_hashes(Tensor<double>{forward.loss}, values);
  add_tensor_hashes(
      ref::train::cross_entropy_backward(forward.log_probabilities, targets, weights, options),
      values);
}

void run_rope(const std::string& probe, bool interleaved, Values& values) {
  Inputs inputs(probe);
  const Tensor<double> x = inputs.draw_uniforms({2, 3, 37, 10}, -3, 3);
  const Tensor<double> cos = inputs.draw_uniforms({37, 4}, -1, 1),
                       sin = inputs.draw_uniforms({37, 4}, -1, 1);
  const ref::model::RopeOptions options{.interleaved = interleaved};
  add_tensor_hashes(nn::rotary_embedding(x, cos, sin, options), values);
  add_tensor_hashes(nn::rotary_embedding_backward(x, cos, sin, options), values);
}

void run_merge(const std::string& probe, const ref::model::MergeAttentionStatesOptions& options,
               bool has_empty, Values& values) {
  Inputs inputs(probe);
  const Tensor<double> o = inputs.draw_uniforms({37, 2, 3, 5, 33}, -3, 3);
  const Tensor<double> logs = inputs.draw_uniforms({37, 2, 3, 5}, -20, 20);
  const Tensor<double> grad_y = inputs.draw_uniforms({2, 3, 5, 33}, -1, 1);
  Mask present;
  if (has_empty) {
    present = ref::tensor::empty_tensor<bool>(ref::tensor::shape_of(logs));
    for (bool& split : present) split = inputs.below(3) != 0;
  }
  const auto merged = nn::merge_attention_states(o, logs, present, options);
  add_tensor_hashes(merged.y, values);
  add_tensor_hashes(merged.log_sum_exp, values);
  const auto gradients =
      nn::merge_attention_states_backward(grad_y, o, merged.weights, present, options);
  add_tensor_hashes(gradients.o, values);
  add_tensor_hashes(gradients.log_sum_exp, values);
}

void run_l2_norm(const std::string& probe, const ref::model::L2NormOptions& options,
                 Values& values) {
  Inputs inputs(probe);
  const Tensor<double> x = inputs.draw_uniforms({5, 7, 67}, -3, 3);
  const Tensor<double> grad_y = inputs.draw_uniforms({5, 7, 67}, -1, 1);
  add_tensor_hashes(ref::norm::l2_norm(x, options), values);
  add_tensor_hashes(ref::norm::l2_norm_backward(grad_y, x, options), values);
}

void run_gated_rms_norm(const std::string& probe, const ref::model::GatedRMSNormOptions& options,
                        Values& values) {
  Inputs inputs(probe);
  const ref::tensor::Shape shape = {5, 9, 132};
  const ref::norm::GatedRMSNormInputs<double> in{
      .x = inputs.draw_uniforms(shape, -3, 3),
      .gate = inputs.draw_uniforms(shape, -6, 6),
      .affine = {inputs.draw_uniforms(ref::tensor::Shape{132}, 0.25, 4),
                 inputs.draw_uniforms(ref::tensor::Shape{132}, -1, 1)}};
  add_tensor_hashes(ref::norm::gated_rms_norm(in, options), values);
  const auto gradients =
      ref::norm::gated_rms_norm_backward(inputs.draw_uniforms(shape, -1, 1), in, options);
  for (const Tensor<double>* gradient :
       {&gradients.x, &gradients.gate, &gradients.gamma, &gradients.beta})
    add_tensor_hashes(*gradient, values);
}

}  // namespace

void add_function_probes(std::vector<Probe>& probes) {
  const auto attention = [&](const std::string& name, const Heads& heads, bool masked,
                             const ref::model::AttentionOptions& options, bool with_sinks = false,
                             bool with_bias = false) {
    const std::string probe = "attention/" + name;
    probes.push_back({probe, [=](Values& values) {
                        run_attention(probe, heads, masked, options, with_sinks, with_bias, values);
                      }});
  };
  attention("small", {2, 3, 3, 5, 7, 4, 3}, false, {});
  attention("grouped_causal", {2, 6, 2, 33, 31, 8, 8}, false, {.causal = true});
  attention("masked_scale", {3, 4, 1, 9, 65, 5, 7}, true, {.scale = 0.3});
  attention("window", {2, 4, 2, 33, 70, 5, 4}, true, {.causal = true, .window_left = 20});
  attention("top_left_window", {1, 2, 1, 40, 31, 5, 4}, false,
            {.mask_corner = ref::model::MaskCorner::top_left, .window_left = 3, .window_right = 2});
  attention("soft_cap", {2, 4, 2, 33, 70, 5, 4}, true, {.causal = true, .soft_cap = 1.5});
  attention("sinks", {3, 6, 2, 33, 70, 5, 4}, true, {.causal = true, .window_left = 20}, true);
  attention("bias", {3, 4, 2, 33, 70, 5, 4}, true, {.causal = true, .soft_cap = 1.5}, false, true);
  attention("base_2", {1, 2, 1, 40, 31, 5, 4}, false,
            {.log_sum_exp_base = ref::model::LogSumExpBase::two});
  attention("large", {2, 8, 2, 96, 130, 32, 32}, false, {.causal = true});
  for (const double smoothing : {0.0, 0.1}) {
    const std::string probe =
        std::string("cross_entropy/") + (smoothing > 0 ? "smoothed" : "weighted");
    probes.push_back(
        {probe, [=](Values& values) { run_cross_entropy(probe, 401, 67, smoothing, values); }});
  }
  for (const bool interleaved : {false, true}) {
    const std::string probe = std::string("rope/") + (interleaved ? "interleaved" : "halves");
    probes.push_back({probe, [=](Values& values) { run_rope(probe, interleaved, values); }});
  }
  for (const auto& [name, base] : ref::model::enum_names(ref::model::LogSumExpBase::e))
    for (const bool has_empty : {false, true}) {
      const std::string probe =
          std::string("merge_attention_states/base_") + name + (has_empty ? "_empty_splits" : "");
      const ref::model::MergeAttentionStatesOptions options{.log_sum_exp_base = base};
      probes.push_back(
          {probe, [=](Values& values) { run_merge(probe, options, has_empty, values); }});
    }
  for (const auto& [name, placement] : ref::model::enum_names(ref::model::EpsPlacement::inside)) {
    const std::string probe = std::string("l2_norm/") + name;
    // Rows of 67 numbers from -3 to 3 have norms around 14. With eps = 14, some norms are therefore
    // smaller than eps.
    const ref::model::L2NormOptions options{.eps = 14, .eps_placement = placement};
    probes.push_back({probe, [=](Values& values) { run_l2_norm(probe, options, values); }});
  }
  for (const auto& [position, place] : ref::model::enum_names(ref::model::GatePosition::after))
    for (const auto& [name, activation] :
         ref::model::enum_names(ref::model::GateActivation::silu)) {
      const std::string probe = std::string("gated_rms_norm/") + position + "_" + name;
      const ref::model::GatedRMSNormOptions options{
          .gate_position = place, .gate_activation = activation, .groups = 4};
      probes.push_back(
          {probe, [=](Values& values) { run_gated_rms_norm(probe, options, values); }});
    }
}

}  // namespace normproof::verification::checks::determinism
