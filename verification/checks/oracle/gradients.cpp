#include "verification/checks/oracle/gradients.hpp"

#include "ref/model/norm_layers.hpp"
#include "ref/tensor/contract.hpp"
#include "verification/checks/oracle/cells.hpp"

namespace normproof::verification::checks::oracle {
namespace {

namespace model = ref::model;
using ref::numeric::Clause;
using ref::tensor::convert;
using ref::tensor::empty_tensor;
using ref::tensor::full_tensor;
using ref::tensor::shape_of;

oracle100 loss_derivative(const Tensor<oracle100>& grad_y, const Tensor<Dual>& y,
                          const oracle100&) {
  oracle100 sum(0);
  for (std::size_t i = 0; i < y.size(); ++i) sum += grad_y.data()[i] * y.data()[i].derivative;
  return sum;
}
oracle100 loss_derivative(const Tensor<oracle100>& grad_y, const Tensor<Complex>& y,
                          const oracle100& h) {
  oracle100 sum(0);
  for (std::size_t i = 0; i < y.size(); ++i) sum += grad_y.data()[i] * y.data()[i].im;
  return sum / h;
}

Dual set_derivative_direction(const Dual& x, const oracle100&) {
  return Dual(x.value, oracle100(1));
}
Complex set_derivative_direction(const Complex& x, const oracle100& h) {
  return Complex(x.re, h);
}

oracle100 step_size(const Tensor<oracle100>& inputs) {
  oracle100 largest(0);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const oracle100 magnitude = abs(inputs.data()[i]);
    if (magnitude > largest) largest = magnitude;
  }
  return ldexp(largest == 0 ? oracle100(1) : largest, -4000);
}

/// Computes the gradients by one forward per input element. The derivative with respect to that
/// element is the second component of the scalar S.
template <class S>
Gradients forward_mode(const model::NormOptions& options, const OracleInputs& inputs,
                       const Arguments<oracle100>& at, const NamedTensors<oracle100>& state) {
  Arguments<S> arguments{convert<S>(at.x), convert<S>(at.gamma), convert<S>(at.beta)};
  for (const auto& [name, values] : at.others) arguments.others.set(name, convert<S>(values));
  const auto derivative = [&](Tensor<S>& along, const Tensor<oracle100>& values) {
    Tensor<oracle100> result = empty_tensor<oracle100>(shape_of(values));
    const oracle100 h = step_size(values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const S kept = along.data()[i];
      along.data()[i] = set_derivative_direction(kept, h);
      const auto evaluation = evaluate<S>(options, arguments, inputs.valid, inputs.mode, state);
      along.data()[i] = kept;
      result.data()[i] = loss_derivative(inputs.grad_y, evaluation.y, h);
    }
    return result;
  };
  Gradients result;
  result.x = derivative(arguments.x, at.x);
  result.gamma = derivative(arguments.gamma, at.gamma);
  result.beta = derivative(arguments.beta, at.beta);
  for (const auto& [name, values] : at.others)
    result.others.set(name, derivative(arguments.others.at(name), values));
  return result;
}

Gradients reverse_mode(const model::NormOptions& options, const OracleInputs& inputs,
                       const Arguments<oracle100>& at, const NamedTensors<oracle100>& state) {
  Tape tape;
  const auto watch = [&](const Tensor<oracle100>& values) {
    Tensor<Variable> result = empty_tensor<Variable>(shape_of(values));
    for (std::size_t i = 0; i < values.size(); ++i)
      result.data()[i] = Variable::input(values.data()[i], tape);
    return result;
  };
  Arguments<Variable> arguments{watch(at.x), watch(at.gamma), watch(at.beta)};
  for (const auto& [name, values] : at.others) arguments.others.set(name, watch(values));
  const auto evaluation = evaluate<Variable>(options, arguments, inputs.valid, inputs.mode, state);
  std::vector<oracle100> weights(tape.size(), oracle100(0));
  for (std::size_t i = 0; i < evaluation.y.size(); ++i) {
    const Variable& y = evaluation.y.data()[i];
    if (y.tape != nullptr) weights[y.node] += inputs.grad_y.data()[i];
  }
  const std::vector<oracle100> swept = tape.backpropagate(std::move(weights));
  const auto read = [&](const Tensor<Variable>& watched) {
    Tensor<oracle100> result = empty_tensor<oracle100>(shape_of(watched));
    for (std::size_t i = 0; i < watched.size(); ++i)
      result.data()[i] = swept[watched.data()[i].node];
    return result;
  };
  Gradients result{read(arguments.x), read(arguments.gamma), read(arguments.beta), {}};
  for (const auto& [name, watched] : arguments.others) result.others.set(name, read(watched));
  return result;
}

}  // namespace

Arguments<oracle100> complete_arguments(const model::NormOptions& options,
                                        const OracleInputs& inputs) {
  const auto extents = ref::tensor::check_activations("oracle", "x", shape_of(inputs.x));
  const model::NormLayer& layer = model::norm_layer(options);
  ref::tensor::check_finite("oracle", "x", inputs.x, Clause::C4);
  const auto written = [&](std::string_view name, const Tensor<oracle100>& given, double absent) {
    const model::NormParameter* const own = layer.parameter(name);
    const ref::tensor::Shape shape{
        own == nullptr ? extents.d_model : model::entry_extent(own->shape, extents.d_model)};
    if (is_absent(given)) return full_tensor(shape, oracle100(absent));
    ref::tensor::check_shape("oracle", name, shape_of(given), shape, Clause::C3);
    ref::tensor::check_finite("oracle", name, given, Clause::C4);
    return given;
  };
  Arguments<oracle100> result{
      inputs.x, written("gamma", inputs.gamma, 1), written("beta", inputs.beta, 0), {}};
  for (const model::NormParameter& own : layer.parameters) {
    if (own.name == "gamma" || own.name == "beta") continue;
    const Tensor<oracle100>* const given = inputs.others.find(own.name);
    result.others.set(own.name, written(own.name, given == nullptr ? Tensor<oracle100>() : *given,
                                        model::initial_value(options, own)));
  }
  return result;
}

Gradients oracle_gradients(const model::NormOptions& options, const OracleInputs& inputs,
                           const NamedTensors<oracle100>& state, Method method) {
  const Arguments<oracle100> at = complete_arguments(options, inputs);
  ref::tensor::check_shape("oracle", "grad_y", shape_of(inputs.grad_y), shape_of(inputs.x),
                           Clause::C5);
  switch (method) {
    case Method::dual:
      return forward_mode<Dual>(options, inputs, at, state);
    case Method::complex_step:
      return forward_mode<Complex>(options, inputs, at, state);
    case Method::reverse:
      return reverse_mode(options, inputs, at, state);
  }
  return {};
}

}  // namespace normproof::verification::checks::oracle
