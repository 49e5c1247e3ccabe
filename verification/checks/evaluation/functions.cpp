#include "verification/checks/evaluation/functions.hpp"

#include "ref/model/attention_shape.hpp"
#include "ref/model/attention_states.hpp"
#include "ref/model/operation_info.hpp"
#include "ref/nn/merge_attention_states.hpp"
#include "ref/nn/rotary_embedding.hpp"
#include "ref/nn/scaled_dot_product_attention.hpp"
#include "ref/norm/add_norm.hpp"
#include "ref/norm/gated_rms_norm.hpp"
#include "ref/norm/l2_norm.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/ops/activation.hpp"
#include "ref/ops/gated_activation.hpp"
#include "ref/ops/softmax.hpp"
#include "ref/train/loss_with_gradient.hpp"

namespace normproof::verification::checks::evaluation {

using ref::numeric::Clause;

namespace model = ref::model;
namespace norm = ref::norm;
namespace ops = ref::ops;
using ref::tensor::Mask;
using ref::tensor::NamedTensors;
using ref::tensor::Tensor;

namespace {

/// Runs a function and its gradients, with one overload per function. Tensors that are not given
/// are empty.
template <class T>
struct Evaluation {
  explicit Evaluation(const FunctionInputs& inputs)
      : in(inputs), x(given("x")), grad_y(given("grad_y")), gate(given("gate")), valid(in.valid) {}

  const FunctionInputs& in;
  Tensor<T> x, grad_y, gate;
  const Mask& valid;
  NamedTensors<T> results = {};

  void operator()(const model::SoftmaxOptions&) {
    const Tensor<T> y = ops::softmax(x, valid);
    keep(y, [&] { return ops::softmax_backward(grad_y, y, valid); });
  }
  void operator()(const model::LogSoftmaxOptions&) {
    const Tensor<T> y = ops::log_softmax(x);
    keep(y, [&] { return ops::log_softmax_backward(grad_y, y); });
  }
  void operator()(const model::LogSumExpOptions&) {
    keep(ops::log_sum_exp(x, valid), [&] { return ops::log_sum_exp_backward(grad_y, x, valid); });
  }
  void operator()(const model::ReluOptions&) {
    keep(ops::relu(x), [&] { return ops::relu_backward(grad_y, x); });
  }
  void operator()(const model::GeluOptions&) {
    keep(ops::gelu(x), [&] { return ops::gelu_backward(grad_y, x); });
  }
  void operator()(const model::GeluTanhOptions&) {
    keep(ops::gelu_tanh(x), [&] { return ops::gelu_tanh_backward(grad_y, x); });
  }
  void operator()(const model::SiluOptions&) {
    keep(ops::silu(x), [&] { return ops::silu_backward(grad_y, x); });
  }
  void operator()(const model::ReluSquaredOptions&) {
    keep(ops::relu_squared(x), [&] { return ops::relu_squared_backward(grad_y, x); });
  }
  void operator()(const model::SigmoidOptions&) {
    keep(ops::sigmoid(x), [&] { return ops::sigmoid_backward(grad_y, x); });
  }
  void operator()(const model::LogSigmoidOptions&) {
    keep(ops::log_sigmoid(x), [&] { return ops::log_sigmoid_backward(grad_y, x); });
  }
  void operator()(const model::TanhOptions&) {
    keep(ops::tanh_activation(x), [&] { return ops::tanh_activation_backward(grad_y, x); });
  }
  void operator()(const model::MishOptions&) {
    keep(ops::mish(x), [&] { return ops::mish_backward(grad_y, x); });
  }
  void operator()(const model::SoftplusOptions& o) {
    const double threshold = o.threshold.value_or(ops::kNoThreshold);
    keep(ops::softplus(x, o.beta, threshold),
         [&] { return ops::softplus_backward(grad_y, x, o.beta, threshold); });
  }
  void operator()(const model::SwigluOptions& o) {
    const ops::SwigluParameters p{o.limit.value_or(ops::kNoThreshold), o.alpha, o.beta};
    store_gated_outputs(ops::swiglu(x, gate, p),
                        [&] { return ops::swiglu_backward(grad_y, x, gate, p); });
  }
  void operator()(const model::GegluOptions&) {
    store_gated_outputs(ops::geglu(x, gate), [&] { return ops::geglu_backward(grad_y, x, gate); });
  }
  void operator()(const model::AttentionOptions& options) {
    const Tensor<T> q = given("q"), k = given("k"), v = given("v");
    auto forward = ref::nn::scaled_dot_product_attention(q, k, v, valid, options, score_inputs());
    if (ref::tensor::is_given(grad_y)) {
      auto gradients = ref::nn::scaled_dot_product_attention_backward(grad_y, k, v, valid,
                                                                      forward.saved, options);
      results.set("grad_q", std::move(gradients.q));
      results.set("grad_k", std::move(gradients.k));
      results.set("grad_v", std::move(gradients.v));
      if (ref::tensor::is_given(gradients.sinks))
        results.set("grad_sinks", std::move(gradients.sinks));
      if (ref::tensor::is_given(gradients.bias))
        results.set("grad_bias", std::move(gradients.bias));
    }
    if (ref::tensor::is_given(forward.log_sum_exp))
      results.set("log_sum_exp", std::move(forward.log_sum_exp));
    results.set("y", std::move(forward.y));
  }
  void operator()(const model::MergeAttentionStatesOptions& options) {
    const Tensor<T> o = given("o");
    const model::SplitStates logs = model::split_states(in.tensors.at("log_sum_exp"));
    auto merged = ref::nn::merge_attention_states(o, ref::tensor::convert<T>(logs.finite),
                                                  logs.present, options);
    if (ref::tensor::is_given(grad_y)) {
      auto gradients = ref::nn::merge_attention_states_backward(grad_y, o, merged.weights,
                                                                logs.present, options);
      results.set("grad_o", std::move(gradients.o));
      results.set("grad_log_sum_exp", std::move(gradients.log_sum_exp));
    }
    results.set("log_sum_exp", std::move(merged.log_sum_exp));
    results.set("y", std::move(merged.y));
  }
  void operator()(const model::AddLayerNormOptions& o) {
    const norm::Affine<T> own = affine(o.zero_centred_gamma);
    const auto forward = norm::add_layer_norm(x, given("residual"), own, {.eps = o.eps});
    store_norm_of_sum_outputs(forward, [&] {
      return norm::add_layer_norm_backward(grad_y, given("grad_sum"), forward.sum, own,
                                           forward.saved);
    });
  }
  void operator()(const model::AddRMSNormOptions& o) {
    const norm::Affine<T> own = affine(o.zero_centred_gamma);
    const auto forward = norm::add_rms_norm(x, given("residual"), own, {.eps = o.eps});
    store_norm_of_sum_outputs(forward, [&] {
      return norm::add_rms_norm_backward(grad_y, given("grad_sum"), forward.sum, own,
                                         forward.saved);
    });
  }
  void operator()(const model::L2NormOptions& options) {
    keep(norm::l2_norm(x, options), [&] { return norm::l2_norm_backward(grad_y, x, options); });
  }
  void operator()(const model::GatedRMSNormOptions& options) {
    const norm::GatedRMSNormInputs<T> own{x, gate, affine(false)};
    results.set("y", norm::gated_rms_norm(own, options));
    if (!ref::tensor::is_given(grad_y)) return;
    norm::GatedRMSNormGradients<T> gradients = norm::gated_rms_norm_backward(grad_y, own, options);
    results.set("grad_x", std::move(gradients.x));
    results.set("grad_gate", std::move(gradients.gate));
    if (in.tensors.contains("gamma")) results.set("grad_gamma", std::move(gradients.gamma));
    if (in.tensors.contains("beta")) results.set("grad_beta", std::move(gradients.beta));
  }
  void operator()(const model::QuantizeOptions&) { store_identity(); }
  void operator()(const model::DequantizeOptions&) { store_identity(); }
  void operator()(const model::RopeOptions& options) {
    const Tensor<T> cos = given("cos"), sin = given("sin");
    keep(ref::nn::rotary_embedding(x, cos, sin, options),
         [&] { return ref::nn::rotary_embedding_backward(grad_y, cos, sin, options); });
  }
  void operator()(const model::CrossEntropyOptions& options) {
    std::vector<int> targets = in.targets;
    for (std::size_t i = 0; i < targets.size() && ref::tensor::is_given(valid); ++i)
      if (!valid.data()[i]) targets[i] = ref::train::kIgnored;
    const Tensor<T> weights = given("class_weights");
    auto found =
        ref::train::cross_entropy_with_gradient(given("logits"), targets, weights, options);
    results.set("grad_logits", std::move(found.grad_logits));
    results.set("loss", std::move(found.loss));
  }

 private:
  Tensor<T> given(const char* name) const {
    const Tensor<double>* const values = in.tensors.find(name);
    return values == nullptr ? Tensor<T>() : ref::tensor::convert<T>(*values);
  }
  ref::nn::ScoreInputs<T> score_inputs() const {
    ref::nn::ScoreInputs<T> extra{.sinks = given("sinks")};
    if (const Tensor<double>* const bias = in.tensors.find("bias")) {
      model::SplitBias parts = model::split_bias(*bias);
      extra.bias = ref::tensor::convert<T>(parts.finite);
      extra.bias_visible = std::move(parts.visible);
    }
    return extra;
  }
  norm::Affine<T> affine(bool zero_centred_gamma) const {
    return {norm::effective_gamma(given("gamma"), zero_centred_gamma), given("beta")};
  }
  void store_identity() {
    keep(ops::identity(x), [&] { return ops::identity_backward(grad_y, x); });
  }
  template <class Backward>
  void keep(Tensor<T> y, Backward&& backward) {
    if (ref::tensor::is_given(grad_y)) results.set("grad_x", backward());
    results.set("y", std::move(y));
  }
  template <class Backward>
  void store_gated_outputs(Tensor<T> y, Backward&& backward) {
    if (ref::tensor::is_given(grad_y)) {
      ops::GatedGradients<T> gradients = backward();
      results.set("grad_x", std::move(gradients.x));
      results.set("grad_gate", std::move(gradients.gate));
    }
    results.set("y", std::move(y));
  }
  template <class Forward, class Backward>
  void store_norm_of_sum_outputs(const Forward& forward, Backward&& backward) {
    results.set("y", forward.y);
    results.set("sum", forward.sum);
    if (!ref::tensor::is_given(grad_y)) return;
    norm::AffineGradients<T> gradients = backward();
    results.set("grad_x", std::move(gradients.grad_x));
    if (in.tensors.contains("gamma")) results.set("grad_gamma", std::move(gradients.grad_gamma));
    if (in.tensors.contains("beta")) results.set("grad_beta", std::move(gradients.grad_beta));
  }
};

}  // namespace

template <ref::numeric::Real T>
NamedTensors<T> run_function(const model::FunctionOptions& function, const FunctionInputs& inputs) {
  const model::OperationInfo& info = model::operation_info(function);
  if (ref::tensor::is_given(inputs.valid) && !info.has_mask_operand())
    ref::numeric::contract_failure(info.name, "valid", "is given", "no mask", Clause::C1);
  Evaluation<T> evaluation(inputs);
  std::visit(evaluation, function);
  return std::move(evaluation.results);
}

#define NORMPROOF_INSTANTIATE(T) \
  template NamedTensors<T> run_function(const ref::model::FunctionOptions&, const FunctionInputs&);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::verification::checks::evaluation
