#pragma once

#include "gpu/norm/layer_support.hpp"
#include "gpu/norm/row_kernels.hpp"
#include "gpu/ops/reduce.hpp"

/// Functions that the layers with statistics per row share. The formulas are in row_kernels.hpp.
namespace normproof::gpu::norm {

/// Runs the forward. Stores y, rstd and, if the layer centers, mean in step.outputs. `statistics`
/// is the shape of mean and rstd.
template <bool centered>
void run_row_forward(std::string_view name, const NormInputs& in, const AffineSpans* affine,
                     double eps, std::size_t groups, const Shape& statistics, NormStep& step) {
  const Extents e = check_x(name, in);
  check_eps(name, eps);
  Device& device = in.x.device();
  DeviceTensor<double> y(device, in.x.shape()), rstd(device, statistics), mean;
  if (centered) mean = DeviceTensor<double>(device, statistics);
  using Kernel = ops::WarpRows<RowForward<centered>>;
  launch_blocks(device, e.rows() * groups,
                Kernel{{.x = in.x.span(),
                        .affine = affine == nullptr ? AffineSpans{} : *affine,
                        .has_parameters = affine != nullptr,
                        .eps = eps,
                        .width = e.d_model / groups,
                        .y = y.span(),
                        .mean = mean.span(),
                        .rstd = rstd.span()}});
  if (centered) check_statistic(name, "mean", mean, "x", in.x);
  check_reciprocal(name, "rstd", rstd, "x", in.x);
  step.outputs.set("y", std::move(y));
  if (centered) step.outputs.set("mean", std::move(mean));
  step.outputs.set("rstd", std::move(rstd));
}

/// Runs the backward. Stores grad_x in step.outputs. If there are parameters, also stores
/// grad_gamma and grad_beta. If there are no parameters, checks that grad_y is finite.
template <bool centered>
void run_row_backward(std::string_view name, const NormInputs& in, const AffineSpans* affine,
                      const DeviceTensor<double>& mean, const DeviceTensor<double>& rstd,
                      std::size_t groups, const Shape& statistics, NormStep& step) {
  const Extents e = check_x(name, in);
  if (centered) check_backward(name, in, "mean", mean, statistics);
  check_backward(name, in, "rstd", rstd, statistics);
  Device& device = in.x.device();
  DeviceTensor<double> grad_x(device, in.x.shape());
  const std::size_t width = e.d_model / groups;
  const XHat<Statistics::of_row, centered> x_hat{in.x.span(), mean.span(), rstd.span(), width};
  using Kernel = ops::WarpRows<RowBackward<centered>>;
  launch_blocks(device, e.rows() * groups,
                Kernel{{.grad_y = in.grad_y.span(),
                        .x_hat = x_hat,
                        .affine = affine == nullptr ? AffineSpans{} : *affine,
                        .width = width,
                        .grad_x = grad_x.span()}});
  if (affine == nullptr) {
    check_finite(name, "grad_y", in.grad_y, Clause::C7);
    step.outputs.set("grad_x", std::move(grad_x));
    return;
  }
  store_gradients(
      name, in, std::move(grad_x),
      ops::column_sum(device, e.rows(), e.d_model,
                      GradGammaTerm<Statistics::of_row, centered>{in.grad_y.span(), x_hat}),
      ops::sum_columns(in.grad_y), step);
}

}  // namespace normproof::gpu::norm
