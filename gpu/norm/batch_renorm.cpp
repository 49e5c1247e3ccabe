#include "gpu/norm/batch_renorm.hpp"

#include "gpu/norm/batch_norm.hpp"
#include "gpu/norm/column_layer.hpp"
#include "gpu/ops/reduce.hpp"

namespace normproof::gpu::norm {

void batch_renorm(const ref::model::BatchRenormOptions& options, const NormInputs& in,
                  NormStep& step) {
  constexpr auto kName = "batch_renorm";
  check_option(kName, "r_max", options.r_max, options.r_max >= 1, "r_max >= 1", Clause::C13);
  check_option(kName, "d_max", options.d_max, options.d_max >= 0, "d_max >= 0", Clause::C13);
  const ref::model::BatchNormOptions base{.eps = options.eps,
                                          .running_decay = options.running_decay,
                                          .unbiased_running_variance = false};
  const DeviceTensor<double> running_mean = step.state.at("running_mean");
  const DeviceTensor<double> running_variance = step.state.at("running_variance");
  NormInputs plain = in;
  plain.gamma = {};
  plain.beta = {};
  batch_norm(base, plain, step);
  const Extents e = check_x(kName, in);
  const AffineSpans affine = check_affine(kName, in, e.d_model);
  const DeviceTensor<double> rstd = step.outputs.get("rstd");
  if (in.mode == Mode::inference) {
    step.outputs.set("y", run_column_forward(in.x, affine, running_mean, rstd));
    return;
  }
  check_reciprocal(kName, "1/s", reciprocal_root(running_variance, options.eps), "running_variance",
                   running_variance);
  Device& device = in.x.device();
  DeviceTensor<double> r(device, {e.d_model}), d(device, {e.d_model}), y(device, in.x.shape());
  const DeviceTensor<double> mean = step.outputs.get("mean");
  launch_elements(
      device, e.d_model,
      BatchRenormFactors{mean.span(), rstd.span(), running_mean.span(), running_variance.span(),
                         options.eps, options.r_max, options.d_max, r.span(), d.span()});
  launch_elements(device, y.size(),
                  RenormalizeColumns{{in.x.span(), mean.span(), rstd.span(), e.d_model},
                                     affine,
                                     std::as_const(r).span(),
                                     std::as_const(d).span(),
                                     y.span()});
  step.outputs.set("y", std::move(y));
  step.outputs.set("r", std::move(r));
  step.outputs.set("d", std::move(d));
}

void batch_renorm_backward(const NormInputs& in, const NormStep& forward, NormStep& step) {
  constexpr auto kName = "batch_renorm_backward";
  if (in.mode == Mode::inference) return batch_norm_backward(in, forward, step);
  const Extents e = check_x(kName, in);
  const AffineSpans affine = check_affine(kName, in, e.d_model);
  const DeviceTensor<double> mean = forward.outputs.get("mean");
  const DeviceTensor<double> rstd = forward.outputs.get("rstd");
  const DeviceTensor<double> r = forward.outputs.get("r"), d = forward.outputs.get("d");
  check_backward(kName, in, "r", r, {e.d_model});
  check_backward(kName, in, "d", d, {e.d_model});
  check_backward(kName, in, "rstd", rstd, {e.d_model});
  const std::size_t count = check_valid_rows(kName, in);
  Device& device = in.x.device();
  DeviceTensor<double> scale(device, {e.d_model});
  launch_elements(device, e.d_model, Product{r.span(), rstd.span(), scale.span()});
  const ColumnBackward backward{kName, in, affine, mean, rstd, scale};
  backward.check();
  const DeviceTensor<double> grad_beta = backward.grad_beta();
  const DeviceTensor<double> along = backward.grad_gamma();  // with z instead of x_hat
  step.outputs.set("grad_x", backward.grad_x(scaled_mean(affine, grad_beta, count),
                                             scaled_mean(affine, along, count), in.valid.flags()));
  step.outputs.set(
      "grad_gamma",
      ops::column_sum(device, e.rows(), e.d_model,
                      RenormGammaTerm{in.grad_y.span(),
                                      {in.x.span(), mean.span(), rstd.span(), e.d_model},
                                      r.span(),
                                      d.span()}));
  step.outputs.set("grad_beta", grad_beta);
}

}  // namespace normproof::gpu::norm
