#include <type_traits>

#include "tests/meta/broken_kernels/fault.hpp"

namespace normproof::tests::broken_kernels {

using namespace verification::claims::engine;

namespace {

using LN = ref::model::LayerNormOptions;

/// Returns an implementation that computes a stack of encoder layers as `f(run, inputs)`. `f` is a
/// generic callable, and `run` is the correct implementation.
template <class Around>
TestedImplementation wrap_stack(Around f) {
  const TestedImplementation sound;
  TestedImplementation faulty;
  faulty.stack_double = [f, run = sound.stack_double](const StackInputs<double>& in) {
    return f(run, in);
  };
  faulty.stack_ball = [f, run = sound.stack_ball](const StackInputs<ref::numeric::ball>& in) {
    return f(run, in);
  };
  return faulty;
}

/// Returns an implementation that calls `change(inputs)` before the stack of encoder layers runs.
template <class Change>
TestedImplementation change_stack_inputs(Change change) {
  return wrap_stack([change](const auto& run, auto in) {
    change(in);
    return run(in);
  });
}

/// Returns an implementation that calls `change(step)` on the results of the stack of encoder
/// layers.
template <class Change>
TestedImplementation change_stack_results(Change change) {
  return wrap_stack([change](const auto& run, const auto& in) {
    auto step = run(in);
    change(step);
    return step;
  });
}

void scale(auto& values, double factor) {
  apply_to_each(values, [&]<class T>(const T& v) { return T(v * T(factor)); });
}

/// Returns the faulty implementation for double and the correct one for intervals. Then only the
/// randomly drawn cases of a claim can detect the fault.
TestedImplementation restrict_to_double(TestedImplementation faulty) {
  faulty.stack_ball = TestedImplementation().stack_ball;
  return faulty;
}

TestedImplementation scale_second_weight(double factor) {
  return change_stack_inputs([=](auto& in) {
    for (auto& layer : in.layers) scale(layer.feed_forward.second.weight, factor);
  });
}

TestedImplementation scale_attention_weight(double factor) {
  return change_stack_inputs([=](auto& in) {
    for (auto& layer : in.layers) scale(layer.attention.in.weight, factor);
  });
}

TestedImplementation scale_weight_gradient(double factor) {
  return change_stack_results([=](auto& step) {
    if (!step.gradients.empty()) scale(step.gradients.back().feed_forward.second.weight, factor);
  });
}

TestedImplementation scale_weight_gradient_by_depth() {
  return change_stack_results([](auto& step) {
    const auto layers = static_cast<double>(step.gradients.size());
    if (layers > 0) scale(step.gradients.back().feed_forward.second.weight, layers);
  });
}

TestedImplementation enlarge_grad_x() {
  return change_stack_results([](auto& step) { scale(step.grad_x, kSlightlyAboveOne); });
}

TestedImplementation add_eps_to_norms() {
  return change_stack_inputs([](auto& in) { in.config.norm = LN{.eps = 1e-5}; });
}

TestedImplementation disable_causal_mask() {
  return change_stack_inputs([](auto& in) { in.config.causal = false; });
}

TestedImplementation force_mode(Mode mode) {
  return change_stack_inputs([=](auto& in) { in.mode = mode; });
}

TestedImplementation skip_earlier_step() {
  return change_stack_inputs([](auto& in) { in.before = {}; });
}

TestedImplementation replace_norm(const NormOptions& norm) {
  return change_stack_inputs([=](auto& in) { in.config.norm = norm; });
}

enum class ActiveSublayer { attention, feed_forward };

/// Returns the gradient with respect to x, the input of layer number l of the stack `in`, for the
/// upstream gradient grad_y. Only the sublayer `kept` is active: the weights of the other sublayer
/// are 0.
template <class T>
Tensor<T> backpropagate_through_sublayer(const TestedImplementation::Stack<T>& run,
                                         StackInputs<T> in, std::size_t l, ActiveSublayer kept,
                                         const Tensor<T>& x, const Tensor<T>& grad_y) {
  auto layer = in.layers[l];
  if (kept == ActiveSublayer::attention) scale(layer.feed_forward.second.weight, 0);
  if (kept == ActiveSublayer::feed_forward) scale(layer.attention.in.weight, 0);
  in.layers = {layer};
  in.x = x;
  in.grad_y = grad_y;
  return run(in).grad_x;
}

/// Returns an implementation whose backward is wrong: it propagates the gradient through all norms
/// first, and then through all sublayers.
TestedImplementation backpropagate_through_all_norms_first() {
  return wrap_stack(
      []<class T>(const TestedImplementation::Stack<T>& run, const StackInputs<T>& in) {
        auto step = run(in);
        if (!is_given(in.grad_y)) return step;
        const auto value = [&](std::size_t l, const char* name) {
          return step.values.at("layers." + std::to_string(l) + "." + name);
        };
        Tensor<T> g = in.grad_y;
        for (std::size_t l = in.layers.size(); l-- > 0;)
          for (const char* name : {"norm2.x", "norm1.x"}) {
            const NormInputs<T> at{.x = value(l, name), .grad_y = g};
            g = ref::norm::norm_step<T>(in.config.norm, at, {}).outputs.at("grad_x");
          }
        StackInputs<T> bare = in;
        bare.config.norm = ref::model::NoneOptions{};
        for (std::size_t l = in.layers.size(); l-- > 0;) {
          g = backpropagate_through_sublayer(run, bare, l, ActiveSublayer::feed_forward,
                                             value(l, "norm1.y"), g);
          g = backpropagate_through_sublayer(run, bare, l, ActiveSublayer::attention,
                                             value(l, "norm1.y"), g);
        }
        step.grad_x = g;
        return step;
      });
}

/// Returns an implementation whose backward is wrong: it adds to grad_y the contribution that each
/// single sublayer would make for the upstream gradient grad_y.
TestedImplementation backpropagate_as_sum_over_sublayers() {
  return wrap_stack(
      []<class T>(const TestedImplementation::Stack<T>& run, const StackInputs<T>& in) {
        auto step = run(in);
        if (!is_given(in.grad_y)) return step;
        Tensor<T> sum = in.grad_y;
        const auto add = [&](const Tensor<T>& term) {
          for (std::size_t i = 0; i < sum.size(); ++i)
            sum.data()[i] += term.data()[i] - in.grad_y.data()[i];
        };
        for (std::size_t l = 0; l < in.layers.size(); ++l) {
          const std::string place = "layers." + std::to_string(l);
          add(backpropagate_through_sublayer(run, in, l, ActiveSublayer::attention,
                                             step.values.at(place + ".norm1.x"), in.grad_y));
          add(backpropagate_through_sublayer(run, in, l, ActiveSublayer::feed_forward,
                                             step.values.at(place + ".norm2.x"), in.grad_y));
        }
        step.grad_x = sum;
        return step;
      });
}

TestedImplementation replace_relu_slopes(double above, double below) {
  TestedImplementation subject;
  subject.relu = [=](ref::tensor::Tensor<double> x) {
    for (double& v : x) v *= v > 0 ? above : below;
    return x;
  };
  return subject;
}

}  // namespace

std::vector<Fault> encoder_faults() {
  return {
      {"E1", "ReLU leaks", replace_relu_slopes(1, 0x1p-20)},
      {"E1", "ReLU is 2^-20 too large", replace_relu_slopes(kSlightlyAboveOne, 0)},
      {"E2", "W_2 is 2^-20 too large", scale_second_weight(kSlightlyAboveOne)},
      {"E2", "in double, W_2 is twice as large", restrict_to_double(scale_second_weight(2))},
      {"E2", "LN has eps", add_eps_to_norms()},
      {"E3", "W_V is 2^-20 too large", scale_attention_weight(kSlightlyAboveOne)},
      {"E3", "in double, W_V is three times as large",
       restrict_to_double(scale_attention_weight(3))},
      {"E3", "W_2 is 2^-20 too large", scale_second_weight(kSlightlyAboveOne)},
      {"E4", "LN: grad_x is 2^-20 too long", scale_output<LN>("grad_x", kSlightlyAboveOne)},
      {"E4", "LN: y is 2^-20 too long", scale_output<LN>("y", kSlightlyAboveOne)},
      {"E5", "LN: grad_x = 0", scale_output<LN>("grad_x", 0)},
      {"E6", "the gradient is 2^-20 too long", scale_weight_gradient(kSlightlyAboveOne)},
      {"E6", "in double, the gradient is twice as long",
       restrict_to_double(scale_weight_gradient(2))},
      {"E7", "the gradient is 2^-20 too long", scale_weight_gradient(kSlightlyAboveOne)},
      {"E7", "in double, the gradient is twice as long",
       restrict_to_double(scale_weight_gradient(2))},
      {"E8", "LN has eps", add_eps_to_norms()},
      {"E8", "in double, the gradient grows with the depth",
       restrict_to_double(scale_weight_gradient_by_depth())},
      {"E9", "the gradient is 2^-20 too long", scale_weight_gradient(kSlightlyAboveOne)},
      {"E9", "in double, the gradient grows with the depth",
       restrict_to_double(scale_weight_gradient_by_depth())},
      {"E10", "ReLU is twice as large", replace_relu_slopes(2, 0)},
      {"E11", "LN: rstd = 0", scale_output<LN>("rstd", 0)},
      {"E12", "grad_x is 2^-20 too long", enlarge_grad_x()},
      {"E12", "the backward goes through all norms first", backpropagate_through_all_norms_first()},
      {"E13", "the backward goes through all norms first", backpropagate_through_all_norms_first()},
      {"E14", "grad_x is 2^-20 too long", enlarge_grad_x()},
      {"E14", "the backward adds up single layers", backpropagate_as_sum_over_sublayers()},
      {"E15", "the backward adds up single layers", backpropagate_as_sum_over_sublayers()},
      {"L1", "no mask", disable_causal_mask()},
      {"L1", "inference takes the statistics of the batch", force_mode(Mode::training)},
      {"L2", "no mask", disable_causal_mask()},
      {"L2", "BatchNorm in its place", replace_norm(ref::model::BatchNormOptions{})},
      {"L3", "training takes the running statistics", force_mode(Mode::inference)},
      {"L3", "LayerNorm in its place", replace_norm(LN{})},
      {"L4", "training takes the running psi", force_mode(Mode::inference)},
      {"L4", "RMSNorm in its place", replace_norm(ref::model::RMSNormOptions{})},
      {"L5", "the psi of the batch", replace_norm(ref::model::PowerNormVOptions{})},
      {"L5", "warm-up begins anew", skip_earlier_step()},
  };
}

}  // namespace normproof::tests::broken_kernels
