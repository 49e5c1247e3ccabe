#include <type_traits>

#include "tests/meta/broken_kernels/fault.hpp"

namespace normproof::tests::broken_kernels {

namespace {

using LN = ref::model::LayerNormOptions;

/// Returns a subject whose stacks run as `f(stack, inputs)`, a generic callable.
template <class Around>
Subject around_stack(Around f) {
  const Subject sound;
  Subject faulty;
  faulty.stack_double = [f, run = sound.stack_double](const StackInputs<double>& in) {
    return f(run, in);
  };
  faulty.stack_ball = [f, run = sound.stack_ball](const StackInputs<ref::numeric::ball>& in) {
    return f(run, in);
  };
  return faulty;
}

/// Returns a subject that calls `change(inputs)` before the stack runs.
template <class Change>
Subject change_inputs(Change change) {
  return around_stack([change](const auto& run, auto in) {
    change(in);
    return run(in);
  });
}

/// Returns a subject that calls `change(step)` after the stack has run.
template <class Change>
Subject change_step(Change change) {
  return around_stack([change](const auto& run, const auto& in) {
    auto step = run(in);
    change(step);
    return step;
  });
}

void scale(auto& values, double factor) {
  each(values, [&]<class T>(const T& v) { return T(v * T(factor)); });
}

/// Restricts a fault to doubles, so that only the random draws can detect it.
Subject in_double_only(Subject faulty) {
  faulty.stack_ball = Subject().stack_ball;
  return faulty;
}

Subject longer_second(double factor) {
  return change_inputs([=](auto& in) {
    for (auto& layer : in.layers) scale(layer.feed_forward.second.weight, factor);
  });
}

Subject longer_value(double factor) {
  return change_inputs([=](auto& in) {
    for (auto& layer : in.layers) scale(layer.attention.in.weight, factor);
  });
}

Subject longer_gradient(double factor) {
  return change_step([=](auto& step) {
    if (!step.gradients.empty()) scale(step.gradients.back().feed_forward.second.weight, factor);
  });
}

Subject gradient_by_depth() {
  return change_step([](auto& step) {
    const auto layers = static_cast<double>(step.gradients.size());
    if (layers > 0) scale(step.gradients.back().feed_forward.second.weight, layers);
  });
}

Subject longer_grad_x() {
  return change_step([](auto& step) { scale(step.grad_x, kSlightly); });
}

Subject with_eps() {
  return change_inputs([](auto& in) { in.config.norm = LN{.eps = 1e-5}; });
}

Subject not_causal() {
  return change_inputs([](auto& in) { in.config.causal = false; });
}

Subject in_mode(Mode mode) {
  return change_inputs([=](auto& in) { in.mode = mode; });
}

Subject without_earlier_step() {
  return change_inputs([](auto& in) { in.before = {}; });
}

Subject with_norm(const NormOptions& norm) {
  return change_inputs([=](auto& in) { in.config.norm = norm; });
}

/// Propagates grad_y back through layer l at x, with only one of its sublayers and the norm of
/// `in`.
enum class KeptSublayer { attention, feed_forward };
template <class T>
Tensor<T> through(const Subject::Stack<T>& run, StackInputs<T> in, std::size_t l, KeptSublayer kept,
                  const Tensor<T>& x, const Tensor<T>& grad_y) {
  auto layer = in.layers[l];
  if (kept == KeptSublayer::attention) scale(layer.feed_forward.second.weight, 0);
  if (kept == KeptSublayer::feed_forward) scale(layer.attention.in.weight, 0);
  in.layers = {layer};
  in.x = x;
  in.grad_y = grad_y;
  return run(in).grad_x;
}

/// Computes the gradient as the product of all norms times the product of all sublayers.
Subject separated_products() {
  return around_stack([]<class T>(const Subject::Stack<T>& run, const StackInputs<T>& in) {
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
      g = through(run, bare, l, KeptSublayer::feed_forward, value(l, "norm1.y"), g);
      g = through(run, bare, l, KeptSublayer::attention, value(l, "norm1.y"), g);
    }
    step.grad_x = g;
    return step;
  });
}

/// Computes the gradient as grad_y plus the contribution of each sublayer to grad_y itself.
Subject single_layer_terms() {
  return around_stack([]<class T>(const Subject::Stack<T>& run, const StackInputs<T>& in) {
    auto step = run(in);
    if (!is_given(in.grad_y)) return step;
    Tensor<T> sum = in.grad_y;
    const auto add = [&](const Tensor<T>& term) {
      for (std::size_t i = 0; i < sum.size(); ++i)
        sum.data()[i] += term.data()[i] - in.grad_y.data()[i];
    };
    for (std::size_t l = 0; l < in.layers.size(); ++l) {
      const std::string place = "layers." + std::to_string(l);
      add(through(run, in, l, KeptSublayer::attention, step.values.at(place + ".norm1.x"),
                  in.grad_y));
      add(through(run, in, l, KeptSublayer::feed_forward, step.values.at(place + ".norm2.x"),
                  in.grad_y));
    }
    step.grad_x = sum;
    return step;
  });
}

Subject with_relu(double above, double below) {
  Subject subject;
  subject.relu = [=](ref::tensor::Tensor<double> x) {
    for (double& v : x) v *= v > 0 ? above : below;
    return x;
  };
  return subject;
}

}  // namespace

std::vector<Fault> encoder_faults() {
  return {
      {"E1", "ReLU leaks", with_relu(1, 0x1p-20)},
      {"E1", "ReLU is 2^-20 too large", with_relu(kSlightly, 0)},
      {"E2", "W_2 is 2^-20 too large", longer_second(kSlightly)},
      {"E2", "in double, W_2 is twice as large", in_double_only(longer_second(2))},
      {"E2", "LN has eps", with_eps()},
      {"E3", "W_V is 2^-20 too large", longer_value(kSlightly)},
      {"E3", "in double, W_V is three times as large", in_double_only(longer_value(3))},
      {"E3", "W_2 is 2^-20 too large", longer_second(kSlightly)},
      {"E4", "LN: grad_x is 2^-20 too long", scaled_output<LN>("grad_x", kSlightly)},
      {"E4", "LN: y is 2^-20 too long", scaled_output<LN>("y", kSlightly)},
      {"E5", "LN: grad_x = 0", scaled_output<LN>("grad_x", 0)},
      {"E6", "the gradient is 2^-20 too long", longer_gradient(kSlightly)},
      {"E6", "in double, the gradient is twice as long", in_double_only(longer_gradient(2))},
      {"E7", "the gradient is 2^-20 too long", longer_gradient(kSlightly)},
      {"E7", "in double, the gradient is twice as long", in_double_only(longer_gradient(2))},
      {"E8", "LN has eps", with_eps()},
      {"E8", "in double, the gradient grows with the depth", in_double_only(gradient_by_depth())},
      {"E9", "the gradient is 2^-20 too long", longer_gradient(kSlightly)},
      {"E9", "in double, the gradient grows with the depth", in_double_only(gradient_by_depth())},
      {"E10", "ReLU is twice as large", with_relu(2, 0)},
      {"E11", "LN: rstd = 0", scaled_output<LN>("rstd", 0)},
      {"E12", "grad_x is 2^-20 too long", longer_grad_x()},
      {"E12", "the backward goes through all norms first", separated_products()},
      {"E13", "the backward goes through all norms first", separated_products()},
      {"E14", "grad_x is 2^-20 too long", longer_grad_x()},
      {"E14", "the backward adds up single layers", single_layer_terms()},
      {"E15", "the backward adds up single layers", single_layer_terms()},
      {"L1", "no mask", not_causal()},
      {"L1", "inference takes the statistics of the batch", in_mode(Mode::training)},
      {"L2", "no mask", not_causal()},
      {"L2", "BatchNorm in its place", with_norm(ref::model::BatchNormOptions{})},
      {"L3", "training takes the running statistics", in_mode(Mode::inference)},
      {"L3", "LayerNorm in its place", with_norm(LN{})},
      {"L4", "training takes the running psi", in_mode(Mode::inference)},
      {"L4", "RMSNorm in its place", with_norm(ref::model::RMSNormOptions{})},
      {"L5", "the psi of the batch", with_norm(ref::model::PowerNormVOptions{})},
      {"L5", "warm-up begins anew", without_earlier_step()},
  };
}

}  // namespace normproof::tests::broken_kernels
