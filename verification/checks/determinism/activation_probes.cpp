#include "ref/ops/gated_activation.hpp"
#include "ref/ops/softmax.hpp"
#include "verification/checks/determinism/probe.hpp"

namespace normproof::verification::checks::determinism {
namespace {

namespace ops = ref::ops;
using ref::tensor::Mask;
using ref::tensor::Shape;
using ref::tensor::Tensor;

void add_tensor(const Tensor<double>& t, Values& values) {
  if (t.size() <= 1024)
    values.add(t);
  else
    values.add_block_hashes(t);
}

struct Activation {
  const char* name;
  Tensor<double> (*forward)(const Tensor<double>&);
  Tensor<double> (*backward)(const Tensor<double>&, const Tensor<double>&);
};

constexpr Activation kActivations[] = {
    {"relu", ops::relu<double>, ops::relu_backward<double>},
    {"gelu", ops::gelu<double>, ops::gelu_backward<double>},
    {"gelu_tanh", ops::gelu_tanh<double>, ops::gelu_tanh_backward<double>},
    {"relu_squared", ops::relu_squared<double>, ops::relu_squared_backward<double>},
    {"sigmoid", ops::sigmoid<double>, ops::sigmoid_backward<double>},
    {"log_sigmoid", ops::log_sigmoid<double>, ops::log_sigmoid_backward<double>},
    {"tanh", ops::tanh_activation<double>, ops::tanh_activation_backward<double>},
    {"mish", ops::mish<double>, ops::mish_backward<double>},
    {"softplus", [](const Tensor<double>& x) { return ops::softplus(x, 3, 2.5); },
     [](const Tensor<double>& grad_y, const Tensor<double>& x) {
       return ops::softplus_backward(grad_y, x, 3, 2.5);
     }},
};

void add_activations(std::vector<Probe>& probes) {
  for (const Activation& activation : kActivations) {
    const std::string name = std::string("activation/") + activation.name;
    const auto add = [&](const std::string& range, const Shape& shape, auto inputs_of) {
      const std::string probe = std::string(name).append("_").append(range);
      probes.push_back({probe, [=](Values& values) {
                          Inputs inputs(probe);
                          const Tensor<double> x = inputs_of(inputs, shape);
                          add_tensor(activation.forward(x), values);
                          const Tensor<double> grad_y = inputs.draw_uniforms(shape, -1, 1);
                          add_tensor(activation.backward(grad_y, x), values);
                        }});
    };
    add("small", {7, 13}, [](Inputs& i, const Shape& s) { return i.draw_normals(s); });
    add("tails", {501}, [](Inputs& i, const Shape& s) { return i.draw_uniforms(s, -40, 40); });
    add("wide", {501},
        [](Inputs& i, const Shape& s) { return i.wide_range_numbers(s, -1074, 300); });
    // This tensor is large enough to be shared by four threads.
    add("large", {300, 441}, [](Inputs& i, const Shape& s) { return i.draw_uniforms(s, -6, 6); });
  }
}

void run_softmax(const std::string& probe, const Shape& shape, bool masked, double scale,
                 Values& values) {
  Inputs inputs(probe);
  const Tensor<double> x = inputs.draw_uniforms(shape, -scale, scale);
  const Tensor<double> grad_y = inputs.draw_uniforms(shape, -1, 1);
  const Shape rows(shape.begin(), shape.end() - 1);
  const Tensor<double> grad_rows = inputs.draw_uniforms(rows, -1, 1);
  Mask valid;
  if (masked) {
    valid = ref::tensor::empty_tensor<bool>({shape.back()});
    for (bool& element : valid) element = inputs.below(3) != 0;
    valid.data()[0] = true;
  }
  const Tensor<double> y = ops::softmax(x, valid);
  add_tensor(y, values);
  add_tensor(ops::softmax_backward(grad_y, y, valid), values);
  add_tensor(ops::log_sum_exp(x, valid), values);
  add_tensor(ops::log_sum_exp_backward(grad_rows, x, valid), values);
  if (masked) return;
  const Tensor<double> log_y = ops::log_softmax(x);
  add_tensor(log_y, values);
  add_tensor(ops::log_softmax_backward(grad_y, log_y), values);
}

void add_softmax(std::vector<Probe>& probes) {
  const auto add = [&probes](const std::string& name, const Shape& shape, bool masked,
                             double scale) {
    const std::string probe = "softmax/" + name;
    probes.push_back(
        {probe, [=](Values& values) { run_softmax(probe, shape, masked, scale, values); }});
  };
  for (const std::size_t width : {1u, 3u, 31u, 32u, 33u, 65u, 300u})
    add("width_" + std::to_string(width), {5, width}, false, 4);
  add("masked", {2, 3, 4, 37}, true, 4);
  add("far_apart", {9, 40}, false, 700);
  add("large", {400, 333}, false, 8);
}

void add_limited_swiglu(std::vector<Probe>& probes) {
  const std::string probe = "activation/limited_swiglu";
  probes.push_back({probe, [=](Values& values) {
                      Inputs inputs(probe);
                      const Shape shape = {300, 47};
                      const ops::SwigluParameters options{.limit = 7, .alpha = 1.702, .beta = 1};
                      const Tensor<double> x = inputs.draw_uniforms(shape, -20, 20);
                      const Tensor<double> gate = inputs.draw_uniforms(shape, -20, 20);
                      add_tensor(ops::swiglu(x, gate, options), values);
                      const Tensor<double> grad_y = inputs.draw_uniforms(shape, -1, 1);
                      const auto gradients = ops::swiglu_backward(grad_y, x, gate, options);
                      add_tensor(gradients.x, values);
                      add_tensor(gradients.gate, values);
                    }});
}

}  // namespace

void add_activation_probes(std::vector<Probe>& probes) {
  add_activations(probes);
  add_softmax(probes);
  add_limited_swiglu(probes);
}

}  // namespace normproof::verification::checks::determinism
