#include "verification/checks/agreement/device_functions.hpp"

#include <limits>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "gpu/nn/merge_attention_states.hpp"
#include "gpu/nn/rotary_embedding.hpp"
#include "gpu/nn/scaled_dot_product_attention.hpp"
#include "gpu/norm/add_norm.hpp"
#include "gpu/norm/l2_norm.hpp"
#include "gpu/norm/norm.hpp"
#include "gpu/ops/activation.hpp"
#include "gpu/ops/gated_activation.hpp"
#include "gpu/ops/softmax.hpp"
#include "gpu/train/cross_entropy.hpp"
#include "ref/model/attention_shape.hpp"
#include "ref/model/attention_states.hpp"
#include "ref/numeric/errors.hpp"

namespace normproof::verification::checks::agreement {
namespace {

namespace model = ref::model;
using gpu::device::Device;
using gpu::device::DeviceMask;
using gpu::device::DeviceTensor;
using gpu::device::NamedDeviceTensors;
using gpu::device::upload;
using ref::tensor::Tensor;

struct FunctionRunner {
  Device& to;
  const checks::evaluation::FunctionInputs& in;
  NamedDeviceTensors& got;

  void operator()(const model::SoftmaxOptions&) const {
    const DeviceTensor<double> y = gpu::ops::softmax(x(), mask());
    store_outputs(y, [&] { return gpu::ops::softmax_backward(grad_y(), y, mask()); });
  }
  void operator()(const model::LogSoftmaxOptions&) const {
    const DeviceTensor<double> y = gpu::ops::log_softmax(x());
    store_outputs(y, [&] { return gpu::ops::log_softmax_backward(grad_y(), y); });
  }
  void operator()(const model::LogSumExpOptions&) const {
    store_outputs(gpu::ops::log_sum_exp(x(), mask()),
                  [&] { return gpu::ops::log_sum_exp_backward(grad_y(), x(), mask()); });
  }
  void operator()(const model::ReluOptions&) const {
    store_outputs(gpu::ops::relu(x()), [&] { return gpu::ops::relu_backward(grad_y(), x()); });
  }
  void operator()(const model::GeluOptions&) const {
    store_outputs(gpu::ops::gelu(x()), [&] { return gpu::ops::gelu_backward(grad_y(), x()); });
  }
  void operator()(const model::GeluTanhOptions&) const {
    store_outputs(gpu::ops::gelu_tanh(x()),
                  [&] { return gpu::ops::gelu_tanh_backward(grad_y(), x()); });
  }
  void operator()(const model::SiluOptions&) const {
    store_outputs(gpu::ops::silu(x()), [&] { return gpu::ops::silu_backward(grad_y(), x()); });
  }
  void operator()(const model::ReluSquaredOptions&) const {
    store_outputs(gpu::ops::relu_squared(x()),
                  [&] { return gpu::ops::relu_squared_backward(grad_y(), x()); });
  }
  void operator()(const model::SigmoidOptions&) const {
    store_outputs(gpu::ops::sigmoid(x()),
                  [&] { return gpu::ops::sigmoid_backward(grad_y(), x()); });
  }
  void operator()(const model::LogSigmoidOptions&) const {
    store_outputs(gpu::ops::log_sigmoid(x()),
                  [&] { return gpu::ops::log_sigmoid_backward(grad_y(), x()); });
  }
  void operator()(const model::TanhOptions&) const {
    store_outputs(gpu::ops::tanh_activation(x()),
                  [&] { return gpu::ops::tanh_activation_backward(grad_y(), x()); });
  }
  void operator()(const model::MishOptions&) const {
    store_outputs(gpu::ops::mish(x()), [&] { return gpu::ops::mish_backward(grad_y(), x()); });
  }
  void operator()(const model::SoftplusOptions& o) const {
    const double threshold = o.threshold.value_or(std::numeric_limits<double>::infinity());
    store_outputs(gpu::ops::softplus(x(), o.beta, threshold),
                  [&] { return gpu::ops::softplus_backward(grad_y(), x(), o.beta, threshold); });
  }
  void operator()(const model::SwigluOptions& o) const {
    const gpu::ops::DeviceSwigluParameters p{
        o.limit.value_or(std::numeric_limits<double>::infinity()), o.alpha, o.beta};
    store_gated_outputs(gpu::ops::swiglu(x(), gate(), p),
                        [&] { return gpu::ops::swiglu_backward(grad_y(), x(), gate(), p); });
  }
  void operator()(const model::GegluOptions&) const {
    store_gated_outputs(gpu::ops::geglu(x(), gate()),
                        [&] { return gpu::ops::geglu_backward(grad_y(), x(), gate()); });
  }
  void operator()(const model::AttentionOptions& options) const {
    const DeviceTensor<double> k = tensor("k"), v = tensor("v");
    const DeviceMask valid(to, in.valid);
    gpu::nn::ScoreInputs extra{.sinks = given("sinks")};
    if (const Tensor<double>* const bias = in.tensors.find("bias")) {
      model::SplitBias parts = model::split_bias(*bias);
      extra.bias = upload(to, parts.finite);
      extra.bias_visible = std::move(parts.visible);
    }
    const auto forward = gpu::nn::scaled_dot_product_attention(tensor("q"), k, v, valid, options,
                                                               gpu::ops::ordered_products(), extra);
    got.set("y", forward.y);
    if (forward.log_sum_exp.is_given()) got.set("log_sum_exp", forward.log_sum_exp);
    if (!in.tensors.contains("grad_y")) return;
    const auto gradients =
        gpu::nn::scaled_dot_product_attention_backward(grad_y(), k, v, valid, forward, options);
    got.set("grad_q", gradients.q);
    got.set("grad_k", gradients.k);
    got.set("grad_v", gradients.v);
    if (gradients.sinks.is_given()) got.set("grad_sinks", gradients.sinks);
    if (gradients.bias.is_given()) got.set("grad_bias", gradients.bias);
  }
  void operator()(const model::MergeAttentionStatesOptions& options) const {
    const DeviceTensor<double> o = tensor("o");
    const model::SplitStates logs = model::split_states(in.tensors.at("log_sum_exp"));
    const auto merged =
        gpu::nn::merge_attention_states(o, upload(to, logs.finite), logs.present, options);
    got.set("y", merged.y);
    got.set("log_sum_exp", merged.log_sum_exp);
    if (!in.tensors.contains("grad_y")) return;
    const auto gradients = gpu::nn::merge_attention_states_backward(grad_y(), o, merged.weights,
                                                                    logs.present, options);
    got.set("grad_o", gradients.o);
    got.set("grad_log_sum_exp", gradients.log_sum_exp);
  }
  void operator()(const model::AddLayerNormOptions& o) const {
    const gpu::norm::NormInputs own = norm_inputs(o.zero_centred_gamma);
    gpu::norm::NormStep forward, backward;
    gpu::norm::add_layer_norm({.eps = o.eps}, own, given("residual"), forward);
    if (in.tensors.contains("grad_y"))
      gpu::norm::add_layer_norm_backward(own, given("grad_sum"), forward, backward);
    store_norm_of_sum_outputs(forward, backward);
  }
  void operator()(const model::AddRMSNormOptions& o) const {
    const gpu::norm::NormInputs own = norm_inputs(o.zero_centred_gamma);
    gpu::norm::NormStep forward, backward;
    gpu::norm::add_rms_norm({.eps = o.eps}, own, given("residual"), forward);
    if (in.tensors.contains("grad_y"))
      gpu::norm::add_rms_norm_backward(own, given("grad_sum"), forward, backward);
    store_norm_of_sum_outputs(forward, backward);
  }
  void operator()(const model::L2NormOptions& options) const {
    store_outputs(gpu::norm::l2_norm(x(), options),
                  [&] { return gpu::norm::l2_norm_backward(grad_y(), x(), options); });
  }
  /// Throws an error. This overload is never called in a correct program: runs_on_device.
  void operator()(const model::GatedRMSNormOptions&) const {
    throw std::logic_error("gated_rms_norm has no kernel on a device");
  }
  void operator()(const model::QuantizeOptions&) const { store_identity(); }
  void operator()(const model::DequantizeOptions&) const { store_identity(); }
  void operator()(const model::RopeOptions& options) const {
    const DeviceTensor<double> cos = tensor("cos"), sin = tensor("sin");
    store_outputs(gpu::nn::rotary_embedding(x(), cos, sin, options),
                  [&] { return gpu::nn::rotary_embedding_backward(grad_y(), cos, sin, options); });
  }
  void operator()(const model::CrossEntropyOptions& options) const {
    std::vector<int> targets = in.targets;
    for (std::size_t i = 0; i < targets.size() && ref::tensor::is_given(in.valid); ++i)
      if (!in.valid.data()[i]) targets[i] = gpu::train::kIgnored;
    const DeviceTensor<double> weights =
        in.tensors.contains("class_weights") ? tensor("class_weights") : DeviceTensor<double>();
    const auto forward =
        gpu::train::cross_entropy(tensor("logits"), targets, weights, options.loss);
    got.set("loss", forward.loss);
    got.set("grad_logits", gpu::train::cross_entropy_backward(forward.log_probabilities, targets,
                                                              weights, options.loss));
  }

 private:
  DeviceTensor<double> tensor(const char* name) const { return upload(to, in.tensors.at(name)); }
  DeviceTensor<double> x() const { return tensor("x"); }
  DeviceTensor<double> grad_y() const { return tensor("grad_y"); }
  DeviceTensor<double> gate() const { return tensor("gate"); }
  DeviceTensor<double> given(std::string_view name) const {
    const Tensor<double>* const own = in.tensors.find(name);
    return own == nullptr ? DeviceTensor<double>() : upload(to, *own);
  }
  gpu::norm::NormInputs norm_inputs(bool zero_centred_gamma) const {
    return {.x = x(),
            .gamma = gpu::norm::effective_gamma(given("gamma"), zero_centred_gamma),
            .beta = given("beta"),
            .grad_y = given("grad_y")};
  }
  void store_norm_of_sum_outputs(const gpu::norm::NormStep& forward,
                                 const gpu::norm::NormStep& backward) const {
    for (const char* name : {"y", "sum"}) got.set(name, forward.outputs.get(name));
    for (const auto& [name, values] : backward.outputs) {
      const bool of_absent = (name == "grad_gamma" && !in.tensors.contains("gamma")) ||
                             (name == "grad_beta" && !in.tensors.contains("beta"));
      if (!of_absent) got.set(name, values);
    }
  }
  DeviceMask mask() const { return DeviceMask(to, in.valid, in.tensors.at("x").shape().back()); }
  void store_identity() const {
    store_outputs(gpu::ops::identity(x()),
                  [&] { return gpu::ops::identity_backward(grad_y(), x()); });
  }
  template <class Backward>
  void store_outputs(const DeviceTensor<double>& y, Backward&& backward) const {
    got.set("y", y);
    if (in.tensors.contains("grad_y")) got.set("grad_x", backward());
  }
  template <class Backward>
  void store_gated_outputs(const DeviceTensor<double>& y, Backward&& backward) const {
    got.set("y", y);
    if (!in.tensors.contains("grad_y")) return;
    const gpu::ops::DeviceGatedGradients gradients = backward();
    got.set("grad_x", gradients.x);
    got.set("grad_gate", gradients.gate);
  }
};

}  // namespace

bool runs_on_device(const model::FunctionOptions& function) {
  if (std::holds_alternative<model::GatedRMSNormOptions>(function)) return false;
  const auto* const loss = std::get_if<model::CrossEntropyOptions>(&function);
  return loss == nullptr || (loss->reduction == model::LossReduction::mean && loss->z_loss == 0 &&
                             !loss->soft_cap.has_value());
}

NamedDeviceTensors run_function_on_device(Device& device, const model::FunctionOptions& function,
                                          const checks::evaluation::FunctionInputs& inputs) {
  if (!runs_on_device(function))
    ref::numeric::contract_failure(
        "run_function_on_device", "function", "has options that no device has",
        "a function for which runs_on_device is true", ref::numeric::Clause::C1);
  NamedDeviceTensors got;
  std::visit(FunctionRunner{device, inputs, got}, function);
  return got;
}

}  // namespace normproof::verification::checks::agreement
