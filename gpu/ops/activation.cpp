#include "gpu/ops/activation.hpp"

#include <fmt/format.h>

#include <cmath>

#include "gpu/device/launch.hpp"
#include "gpu/ops/activation_kernels.hpp"
#include "gpu/ops/reduce.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::gpu::ops {

using ref::numeric::Clause;

namespace {

[[noreturn]] void throw_activation_error(std::string_view function, std::string_view argument,
                                         const DeviceTensor<double>& t, std::size_t i) {
  ref::numeric::contract_failure(
      function, argument,
      fmt::format("has the element {} = {}", ref::tensor::index_to_string(i, t.shape()),
                  device::download(t).data()[i]),
      "finite values", Clause::C2);
}

void check_softplus_parameters(std::string_view function, double beta, double threshold) {
  if (!(beta > 0 && std::isfinite(beta)))
    ref::numeric::contract_failure(function, "beta", fmt::format("is {}", beta),
                                   "a finite number > 0", Clause::C4);
  if (!(threshold >= 0))
    ref::numeric::contract_failure(function, "threshold", fmt::format("is {}", threshold),
                                   "a number >= 0", Clause::C4);
}

void check_activation(std::string_view function, const DeviceTensor<double>& x) {
  if (const std::size_t i = find_first_not_finite(x); i < x.size())
    throw_activation_error(function, "x", x, i);
}

template <class F>
DeviceTensor<double> run_activation(std::string_view function, const DeviceTensor<double>& x) {
  check_activation(function, x);
  DeviceTensor<double> y(x.device(), x.shape());
  device::launch_elements(x.device(), x.size(), Activate<F>{x.span(), y.span()});
  return y;
}

void check_activation_backward(std::string_view function, const DeviceTensor<double>& grad_y,
                               const DeviceTensor<double>& x) {
  ref::tensor::check_shape(function, "grad_y", grad_y.shape(), x.shape(), Clause::C1);
  const std::size_t in_x = find_first_not_finite(x), in_grad_y = find_first_not_finite(grad_y);
  if (in_grad_y <= in_x && in_grad_y < x.size())
    throw_activation_error(function, "grad_y", grad_y, in_grad_y);
  if (in_x < x.size()) throw_activation_error(function, "x", x, in_x);
}

template <class F>
DeviceTensor<double> run_activation_backward(std::string_view function,
                                             const DeviceTensor<double>& grad_y,
                                             const DeviceTensor<double>& x) {
  check_activation_backward(function, grad_y, x);
  DeviceTensor<double> grad_x(x.device(), x.shape());
  device::launch_elements(x.device(), x.size(),
                          ActivateBackward<F>{grad_y.span(), x.span(), grad_x.span()});
  return grad_x;
}

}  // namespace

DeviceTensor<double> identity(const DeviceTensor<double>& x) {
  return run_activation<Identity>("identity", x);
}
DeviceTensor<double> identity_backward(const DeviceTensor<double>& grad_y,
                                       const DeviceTensor<double>& x) {
  return run_activation_backward<Identity>("identity_backward", grad_y, x);
}
DeviceTensor<double> relu(const DeviceTensor<double>& x) {
  return run_activation<Relu>("relu", x);
}
DeviceTensor<double> relu_backward(const DeviceTensor<double>& grad_y,
                                   const DeviceTensor<double>& x) {
  return run_activation_backward<Relu>("relu_backward", grad_y, x);
}
DeviceTensor<double> gelu(const DeviceTensor<double>& x) {
  return run_activation<Gelu>("gelu", x);
}
DeviceTensor<double> gelu_backward(const DeviceTensor<double>& grad_y,
                                   const DeviceTensor<double>& x) {
  return run_activation_backward<Gelu>("gelu_backward", grad_y, x);
}
DeviceTensor<double> gelu_tanh(const DeviceTensor<double>& x) {
  return run_activation<GeluTanh>("gelu_tanh", x);
}
DeviceTensor<double> gelu_tanh_backward(const DeviceTensor<double>& grad_y,
                                        const DeviceTensor<double>& x) {
  return run_activation_backward<GeluTanh>("gelu_tanh_backward", grad_y, x);
}
DeviceTensor<double> silu(const DeviceTensor<double>& x) {
  return run_activation<Silu>("silu", x);
}
DeviceTensor<double> silu_backward(const DeviceTensor<double>& grad_y,
                                   const DeviceTensor<double>& x) {
  return run_activation_backward<Silu>("silu_backward", grad_y, x);
}
DeviceTensor<double> relu_squared(const DeviceTensor<double>& x) {
  return run_activation<ReluSquared>("relu_squared", x);
}
DeviceTensor<double> relu_squared_backward(const DeviceTensor<double>& grad_y,
                                           const DeviceTensor<double>& x) {
  return run_activation_backward<ReluSquared>("relu_squared_backward", grad_y, x);
}
DeviceTensor<double> sigmoid(const DeviceTensor<double>& x) {
  return run_activation<Sigmoid>("sigmoid", x);
}
DeviceTensor<double> sigmoid_backward(const DeviceTensor<double>& grad_y,
                                      const DeviceTensor<double>& x) {
  return run_activation_backward<Sigmoid>("sigmoid_backward", grad_y, x);
}
DeviceTensor<double> log_sigmoid(const DeviceTensor<double>& x) {
  return run_activation<LogSigmoid>("log_sigmoid", x);
}
DeviceTensor<double> log_sigmoid_backward(const DeviceTensor<double>& grad_y,
                                          const DeviceTensor<double>& x) {
  return run_activation_backward<LogSigmoid>("log_sigmoid_backward", grad_y, x);
}
DeviceTensor<double> tanh_activation(const DeviceTensor<double>& x) {
  return run_activation<Tanh>("tanh_activation", x);
}
DeviceTensor<double> tanh_activation_backward(const DeviceTensor<double>& grad_y,
                                              const DeviceTensor<double>& x) {
  return run_activation_backward<Tanh>("tanh_activation_backward", grad_y, x);
}
DeviceTensor<double> mish(const DeviceTensor<double>& x) {
  return run_activation<Mish>("mish", x);
}
DeviceTensor<double> mish_backward(const DeviceTensor<double>& grad_y,
                                   const DeviceTensor<double>& x) {
  return run_activation_backward<Mish>("mish_backward", grad_y, x);
}
DeviceTensor<double> softplus(const DeviceTensor<double>& x, double beta, double threshold) {
  check_softplus_parameters("softplus", beta, threshold);
  check_activation("softplus", x);
  DeviceTensor<double> y(x.device(), x.shape());
  device::launch_elements(x.device(), x.size(), Softplus{x.span(), beta, threshold, y.span()});
  return y;
}
DeviceTensor<double> softplus_backward(const DeviceTensor<double>& grad_y,
                                       const DeviceTensor<double>& x, double beta,
                                       double threshold) {
  check_softplus_parameters("softplus_backward", beta, threshold);
  check_activation_backward("softplus_backward", grad_y, x);
  DeviceTensor<double> grad_x(x.device(), x.shape());
  device::launch_elements(
      x.device(), x.size(),
      SoftplusBackward{grad_y.span(), x.span(), beta, threshold, grad_x.span()});
  return grad_x;
}

}  // namespace normproof::gpu::ops
