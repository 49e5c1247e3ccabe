#include "gpu/norm/scale_norm.hpp"

#include "gpu/norm/layer_support.hpp"
#include "gpu/norm/scale_kernels.hpp"
#include "gpu/ops/reduce.hpp"

namespace normproof::gpu::norm {
namespace {

ConstReals check_and_return_gamma(std::string_view function, const NormInputs& in) {
  if (!in.gamma.is_given()) return {};
  check_shape(function, "gamma", in.gamma.shape(), {1}, Clause::C3);
  check_finite(function, "gamma", in.gamma, Clause::C4);
  return in.gamma.span();
}

}  // namespace

void scale_norm(const ref::model::ScaleNormOptions& options, const NormInputs& in, NormStep& step) {
  constexpr auto kName = "scale_norm";
  const Extents e = check_x(kName, in);
  check_eps(kName, options.eps);
  const ConstReals gamma = check_and_return_gamma(kName, in);
  Device& device = in.x.device();
  DeviceTensor<double> y(device, in.x.shape()), rnorm(device, row_shape(in));
  launch_blocks(device, e.rows(),
                ops::WarpRows<ScaleForward>{
                    {in.x.span(), gamma, options.eps, e.d_model, y.span(), rnorm.span()}});
  check_reciprocal(kName, "rnorm", rnorm, "x", in.x);
  step.outputs.set("y", std::move(y));
  step.outputs.set("rnorm", std::move(rnorm));
}

void scale_norm_backward(const NormInputs& in, const NormStep& forward, NormStep& step) {
  constexpr auto kName = "scale_norm_backward";
  const Extents e = check_x(kName, in);
  const DeviceTensor<double> rnorm = forward.outputs.get("rnorm");
  check_backward(kName, in, "rnorm", rnorm, row_shape(in));
  check_finite(kName, "grad_y", in.grad_y, Clause::C7);
  const ConstReals gamma = check_and_return_gamma(kName, in);
  Device& device = in.x.device();
  DeviceTensor<double> grad_x(device, in.x.shape()), along(device, {e.rows()});
  launch_blocks(device, e.rows(),
                ops::WarpRows<ScaleBackward>{{in.grad_y.span(), in.x.span(), gamma,
                                              std::as_const(rnorm).span(), e.d_model, grad_x.span(),
                                              along.span()}});
  DeviceTensor<double> grad_gamma = ops::sum_elements(along);
  check_statistic(kName, "grad_gamma", grad_gamma, "grad_y", in.grad_y, Clause::C7, Clause::C7);
  step.outputs.set("grad_x", std::move(grad_x));
  step.outputs.set("grad_gamma", std::move(grad_gamma));
}

}  // namespace normproof::gpu::norm
