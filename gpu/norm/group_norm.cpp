#include "gpu/norm/group_norm.hpp"

#include "gpu/norm/group_kernels.hpp"
#include "gpu/norm/layer_support.hpp"
#include "gpu/ops/reduce.hpp"

namespace normproof::gpu::norm {
namespace {

void check_samples(std::string_view function, const NormInputs& in, std::size_t samples) {
  if (in.valid.is_given() && in.valid.first_empty_sentence() < samples)
    ref::numeric::contract_failure(
        function, "valid",
        "has no valid token in sample " + std::to_string(in.valid.first_empty_sentence()),
        "at least one valid token in each sample", Clause::C8);
}

}  // namespace

void group_norm(const ref::model::GroupNormOptions& options, const NormInputs& in, NormStep& step) {
  constexpr auto kName = "group_norm";
  const Extents e = check_x(kName, in);
  check_eps(kName, options.eps);
  ref::model::check_row_layout(options);
  check_mask_shape(kName, in);
  const std::size_t groups = check_groups(kName, options.groups, e.d_model);
  const AffineSpans affine = check_affine(kName, in, e.d_model);
  check_finite(kName, "x", in.x, Clause::C4);
  check_samples(kName, in, e.batch_size);
  Device& device = in.x.device();
  DeviceTensor<double> y(device, in.x.shape());
  DeviceTensor<double> mean(device, {e.batch_size, groups}), rstd(device, {e.batch_size, groups});
  launch_blocks(device, rstd.size(),
                ops::WarpRows<GroupForward>{{.x = in.x.span(),
                                             .affine = affine,
                                             .elements = {e.seq_len, e.d_model, groups},
                                             .places = in.valid.places(e.seq_len),
                                             .eps = options.eps,
                                             .y = y.span(),
                                             .mean = mean.span(),
                                             .rstd = rstd.span()}});
  check_statistic(kName, "mean", mean, "x", in.x);
  check_reciprocal(kName, "rstd", rstd, "x", in.x);
  step.outputs.set("y", std::move(y));
  step.outputs.set("mean", std::move(mean));
  step.outputs.set("rstd", std::move(rstd));
}

void group_norm_backward(const ref::model::GroupNormOptions& options, const NormInputs& in,
                         const NormStep& forward, NormStep& step) {
  constexpr auto kName = "group_norm_backward";
  const Extents e = check_x(kName, in);
  check_mask_shape(kName, in);
  const std::size_t groups = check_groups(kName, options.groups, e.d_model);
  ref::model::check_row_layout(options);
  const DeviceTensor<double> mean = forward.outputs.get("mean");
  const DeviceTensor<double> rstd = forward.outputs.get("rstd");
  check_backward(kName, in, "mean", mean, {e.batch_size, groups});
  check_backward(kName, in, "rstd", rstd, {e.batch_size, groups});
  const AffineSpans affine = check_affine(kName, in, e.d_model);
  check_samples(kName, in, e.batch_size);
  Device& device = in.x.device();
  DeviceTensor<double> grad_x(device, in.x.shape());
  const XHat<Statistics::of_group, true> x_hat{in.x.span(), mean.span(), rstd.span(),
                                               e.d_model,   e.seq_len,   e.d_model / groups};
  launch_blocks(device, rstd.size(),
                ops::WarpRows<GroupBackward>{{.grad_y = in.grad_y.span(),
                                              .x_hat = x_hat,
                                              .affine = affine,
                                              .elements = {e.seq_len, e.d_model, groups},
                                              .places = in.valid.places(e.seq_len),
                                              .valid = in.valid.flags(),
                                              .grad_x = grad_x.span()}});
  store_gradients(
      kName, in, std::move(grad_x),
      ops::column_sum(device, e.rows(), e.d_model,
                      GradGammaTerm<Statistics::of_group, true>{in.grad_y.span(), x_hat}),
      ops::sum_columns(in.grad_y), step);
}

}  // namespace normproof::gpu::norm
