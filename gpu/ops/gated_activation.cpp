#include "gpu/ops/gated_activation.hpp"

#include <fmt/format.h>

#include <cmath>

#include "gpu/device/launch.hpp"
#include "gpu/ops/activation.hpp"
#include "gpu/ops/activation_kernels.hpp"
#include "gpu/ops/gated_kernels.hpp"
#include "gpu/ops/reduce.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::gpu::ops {

using ref::numeric::Clause;

namespace {

DeviceTensor<double> product(const DeviceTensor<double>& a, const DeviceTensor<double>& b) {
  DeviceTensor<double> out(a.device(), a.shape());
  device::launch_elements(a.device(), a.size(), Multiply{a.span(), b.span(), out.span()});
  return out;
}

/// Throws if an element of t is not finite. The text of the message is built only if the function
/// throws.
void check_all_finite(std::string_view function, std::string_view argument,
                      const DeviceTensor<double>& t, Clause clause) {
  if (find_first_not_finite(t) < t.size())
    ref::tensor::check_finite(function, argument, device::download(t), clause);
}

void check_operands(std::string_view function, const DeviceTensor<double>& x,
                    const DeviceTensor<double>& gate) {
  ref::tensor::check_shape(function, "gate", gate.shape(), x.shape(), Clause::C1);
  check_all_finite(function, "x", x, Clause::C2);
  check_all_finite(function, "gate", gate, Clause::C2);
}

void check_backward_operands(std::string_view function, const DeviceTensor<double>& grad_y,
                             const DeviceTensor<double>& x, const DeviceTensor<double>& gate) {
  ref::tensor::check_shape(function, "grad_y", grad_y.shape(), x.shape(), Clause::C1);
  check_operands(function, x, gate);
  check_all_finite(function, "grad_y", grad_y, Clause::C2);
}

/// Returns the product of grad_y and the second factor of y. This product is the gradient of the
/// activation's output. Throws if an element of the product is not finite.
DeviceTensor<double> gated_gradient(std::string_view function, const DeviceTensor<double>& grad_y,
                                    const DeviceTensor<double>& factor) {
  DeviceTensor<double> gated = product(grad_y, factor);
  check_all_finite(function, "grad_y gate", gated, Clause::C3);
  return gated;
}

void check_swiglu_parameters(std::string_view function, const DeviceSwigluParameters& p) {
  const auto fail = [function](const char* name, double value, const char* expectation) {
    ref::numeric::contract_failure(function, name, fmt::format("is {}", value), expectation,
                                   Clause::C4);
  };
  if (!(p.limit > 0)) fail("limit", p.limit, "a number > 0");
  if (!(p.alpha > 0 && std::isfinite(p.alpha))) fail("alpha", p.alpha, "a finite number > 0");
  if (!std::isfinite(p.beta)) fail("beta", p.beta, "a finite number");
}

/// Whether y = silu(x) gate.
bool is_plain(const DeviceSwigluParameters& p) {
  return !std::isfinite(p.limit) && p.alpha == 1 && p.beta == 0;
}

/// The factors of the y of swiglu, y = activation factor, and the argument of the sigmoid.
struct SwigluFactors {
  DeviceTensor<double> argument, activation, factor;
};

SwigluFactors swiglu_factors(std::string_view function, const DeviceTensor<double>& x,
                             const DeviceTensor<double>& gate, const DeviceSwigluParameters& p) {
  DeviceTensor<double> limited(x.device(), x.shape()), argument(x.device(), x.shape()),
      factor(x.device(), x.shape());
  device::launch_elements(x.device(), x.size(),
                          LimitGatedOperands{x.span(), gate.span(), p.limit, p.alpha, p.beta,
                                             limited.span(), argument.span(), factor.span()});
  check_all_finite(function, "alpha x", argument, Clause::C5);
  DeviceTensor<double> activation = product(limited, sigmoid(argument));
  return {std::move(argument), std::move(activation), std::move(factor)};
}

}  // namespace

DeviceTensor<double> swiglu(const DeviceTensor<double>& x, const DeviceTensor<double>& gate,
                            const DeviceSwigluParameters& parameters) {
  check_operands("swiglu", x, gate);
  check_swiglu_parameters("swiglu", parameters);
  if (is_plain(parameters)) return product(silu(x), gate);
  const SwigluFactors factors = swiglu_factors("swiglu", x, gate, parameters);
  return product(factors.activation, factors.factor);
}
DeviceGatedGradients swiglu_backward(const DeviceTensor<double>& grad_y,
                                     const DeviceTensor<double>& x,
                                     const DeviceTensor<double>& gate,
                                     const DeviceSwigluParameters& parameters) {
  constexpr auto kName = "swiglu_backward";
  check_backward_operands(kName, grad_y, x, gate);
  check_swiglu_parameters(kName, parameters);
  if (is_plain(parameters)) {
    const DeviceTensor<double> gated = gated_gradient(kName, grad_y, gate);
    return {silu_backward(gated, x), product(grad_y, silu(x))};
  }
  const SwigluFactors factors = swiglu_factors(kName, x, gate, parameters);
  const DeviceTensor<double> gated = gated_gradient(kName, grad_y, factors.factor);
  DeviceGatedGradients gradients{silu_backward(gated, factors.argument),
                                 product(grad_y, factors.activation)};
  if (std::isfinite(parameters.limit))
    device::launch_elements(x.device(), x.size(),
                            DropGradientsBeyond{x.span(), gate.span(), parameters.limit,
                                                gradients.x.span(), gradients.gate.span()});
  return gradients;
}
DeviceTensor<double> geglu(const DeviceTensor<double>& x, const DeviceTensor<double>& gate) {
  check_operands("geglu", x, gate);
  return product(gelu(x), gate);
}
DeviceGatedGradients geglu_backward(const DeviceTensor<double>& grad_y,
                                    const DeviceTensor<double>& x,
                                    const DeviceTensor<double>& gate) {
  constexpr auto kName = "geglu_backward";
  check_backward_operands(kName, grad_y, x, gate);
  const DeviceTensor<double> gated = gated_gradient(kName, grad_y, gate);
  return {gelu_backward(gated, x), product(grad_y, gelu(x))};
}

}  // namespace normproof::gpu::ops
