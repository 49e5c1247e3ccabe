#include "gpu/ops/gated_activation.hpp"

#include "gpu/device/launch.hpp"
#include "gpu/ops/activation.hpp"
#include "gpu/ops/activation_kernels.hpp"
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

/// Returns the product of grad_y and gate. This product is the gradient of the activation's output.
/// Throws if an element of the product is not finite.
DeviceTensor<double> gated_gradient(std::string_view function, const DeviceTensor<double>& grad_y,
                                    const DeviceTensor<double>& x,
                                    const DeviceTensor<double>& gate) {
  ref::tensor::check_shape(function, "grad_y", grad_y.shape(), x.shape(), Clause::C1);
  check_operands(function, x, gate);
  check_all_finite(function, "grad_y", grad_y, Clause::C2);
  DeviceTensor<double> gated = product(grad_y, gate);
  check_all_finite(function, "grad_y gate", gated, Clause::C3);
  return gated;
}

}  // namespace

DeviceTensor<double> swiglu(const DeviceTensor<double>& x, const DeviceTensor<double>& gate) {
  check_operands("swiglu", x, gate);
  return product(silu(x), gate);
}
DeviceGatedGradients swiglu_backward(const DeviceTensor<double>& grad_y,
                                     const DeviceTensor<double>& x,
                                     const DeviceTensor<double>& gate) {
  const DeviceTensor<double> gated = gated_gradient("swiglu_backward", grad_y, x, gate);
  return {silu_backward(gated, x), product(grad_y, silu(x))};
}
DeviceTensor<double> geglu(const DeviceTensor<double>& x, const DeviceTensor<double>& gate) {
  check_operands("geglu", x, gate);
  return product(gelu(x), gate);
}
DeviceGatedGradients geglu_backward(const DeviceTensor<double>& grad_y,
                                    const DeviceTensor<double>& x,
                                    const DeviceTensor<double>& gate) {
  const DeviceTensor<double> gated = gated_gradient("geglu_backward", grad_y, x, gate);
  return {gelu_backward(gated, x), product(grad_y, gelu(x))};
}

}  // namespace normproof::gpu::ops
