#include "gpu/norm/l2_norm.hpp"

#include "gpu/norm/l2_kernels.hpp"
#include "gpu/norm/layer_support.hpp"

namespace normproof::gpu::norm {
namespace {

/// Checks the arguments. Returns the shape of x without the last axis.
Shape check_and_return_leading_shape(std::string_view function, const DeviceTensor<double>& x,
                                     double eps) {
  Shape shape = x.shape();
  if (shape.empty() || !x.is_given())
    ref::numeric::contract_failure(function, "x", "has shape " + ref::tensor::to_string(shape),
                                   "[..., D] with every extent at least 1", Clause::C1);
  check_eps(function, eps);
  shape.pop_back();
  return shape;
}

}  // namespace

DeviceTensor<double> l2_norm(const DeviceTensor<double>& x,
                             const ref::model::L2NormOptions& options) {
  constexpr auto kName = "l2_norm";
  const Shape rows = check_and_return_leading_shape(kName, x, options.eps);
  const std::size_t width = x.shape().back();
  DeviceTensor<double> y(x.device(), x.shape()), reciprocal(x.device(), rows);
  launch_blocks(x.device(), x.size() / width,
                ops::WarpRows<L2Forward>{{x.span(), options.eps, options.eps_placement, width,
                                          y.span(), reciprocal.span()}});
  check_reciprocal(kName, "the reciprocal norm", reciprocal, "x", x);
  return y;
}

DeviceTensor<double> l2_norm_backward(const DeviceTensor<double>& grad_y,
                                      const DeviceTensor<double>& x,
                                      const ref::model::L2NormOptions& options) {
  constexpr auto kName = "l2_norm_backward";
  check_shape(kName, "grad_y", grad_y.shape(), x.shape(), Clause::C5);
  const Shape rows = check_and_return_leading_shape(kName, x, options.eps);
  const std::size_t width = x.shape().back();
  DeviceTensor<double> grad_x(x.device(), x.shape()), reciprocal(x.device(), rows),
      e(x.device(), rows);
  launch_blocks(
      x.device(), x.size() / width,
      ops::WarpRows<L2Backward>{{grad_y.span(), x.span(), options.eps, options.eps_placement, width,
                                 grad_x.span(), reciprocal.span(), e.span()}});
  check_reciprocal(kName, "the reciprocal norm", reciprocal, "x", x);
  check_finite(kName, "grad_y", grad_y, Clause::C7);
  check_statistic(kName, "the sum over grad_y", e, "grad_y", grad_y, Clause::C7, Clause::C7);
  return grad_x;
}

}  // namespace normproof::gpu::norm
