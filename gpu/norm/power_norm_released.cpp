#include "gpu/norm/power_norm_released.hpp"

#include "gpu/norm/column_layer.hpp"
#include "gpu/norm/group_scaling.hpp"
#include "gpu/norm/power_norm.hpp"
#include "gpu/ops/reduce.hpp"

namespace normproof::gpu::norm {
namespace {

using ref::model::PowerNormReleasedOptions;

ref::model::GroupScalingOptions group_options(const PowerNormReleasedOptions& options) {
  return {.eps = options.group_eps, .groups = options.groups};
}

/// Returns the inputs of the normalization. With group scaling, the output of group scaling
/// replaces x.
NormInputs scaled_inputs(const PowerNormReleasedOptions& options, const NormInputs& in,
                         NormStep& scaling) {
  NormInputs result = in;
  if (!options.group_scaling) return result;
  NormInputs plain{.x = in.x};
  group_scaling(group_options(options), plain, scaling);
  result.x = scaling.outputs.get("y");
  return result;
}

DeviceTensor<double> cumulative_mean(const DeviceTensor<double>& running,
                                     const DeviceTensor<double>& batch, std::int64_t k) {
  DeviceTensor<double> out(running.device(), running.shape());
  launch_elements(out.device(), out.size(),
                  CumulativeMean{running.span(), batch.span(), static_cast<double>(k), out.span()});
  return out;
}

/// The state nu in a step of the backward. `effective` is the value that the gradient of x uses, (1
/// - alpha_backward) nu. `next` is the new nu: the old nu plus the mean of t x_hat over the rows,
/// where t = g - x_hat effective and g = gamma grad_y.
struct ScaledNuUpdate {
  DeviceTensor<double> effective;
  DeviceTensor<double> next;
};
ScaledNuUpdate update_scaled_nu(const PowerNormReleasedOptions& options,
                                const ColumnBackward& backward, const DeviceTensor<double>& nu,
                                ConstIndices rows, std::size_t count) {
  Device& device = nu.device();
  ScaledNuUpdate result{DeviceTensor<double>(device, nu.shape()),
                        DeviceTensor<double>(device, nu.shape())};
  launch_elements(
      device, nu.size(),
      MultiplyByFactor{1.0 - options.alpha_backward, nu.span(), result.effective.span()});
  const DeviceTensor<double> step =
      divide_by_count(ops::column_sum(device, count, backward.width(),
                                      NuUpdateTerm{backward.in.grad_y.span(), backward.affine,
                                                   backward.uncentered_x_hat(),
                                                   std::as_const(result.effective).span(), rows}),
                      count);
  launch_elements(device, nu.size(), Sum{nu.span(), step.span(), result.next.span()});
  return result;
}

}  // namespace

void power_norm_released(const PowerNormReleasedOptions& options, const NormInputs& given,
                         NormStep& step) {
  constexpr auto kName = "power_norm_released";
  const std::int64_t iterations = check_iterations(step);
  const Extents e = check_x(kName, given);
  check_eps(kName, options.eps);
  check_decay(kName, "alpha_forward", options.alpha_forward);
  check_count(kName, "warmup_iterations", options.warmup_iterations, Clause::C14);
  DeviceTensor<double> running_psi2 = step.state.at("running_psi2");
  check_running_statistic(kName, "running_psi2", running_psi2, e.d_model, true);
  check_running_statistic(kName, "nu", step.state.at("nu"), e.d_model, false);
  const AffineSpans affine = check_affine(kName, given, e.d_model);
  NormStep scaling;
  const NormInputs in = scaled_inputs(options, given, scaling);

  DeviceTensor<double> rstd;
  if (in.mode == Mode::inference) {
    rstd = running_rstd(kName, in, "running_psi2", running_psi2, options.eps);
  } else {
    const DeviceTensor<double> quadratic_mean =
        batch_statistics(kName, in, false, check_valid_rows(kName, in)).square;
    const DeviceTensor<double> batch_rstd = reciprocal_root(quadratic_mean, options.eps);
    const std::int64_t k = iterations + 1;
    if (k <= options.warmup_iterations) {
      rstd = batch_rstd;
      check_reciprocal(kName, "rstd", rstd, "x", in.x);
    } else {
      if (options.divide_by_batch_psi) check_reciprocal(kName, "batch_rstd", batch_rstd, "x", in.x);
      rstd = reciprocal_root(running_psi2, options.eps);
      check_reciprocal(kName, "rstd", rstd, "running_psi2", running_psi2);
    }
    if (options.cumulative_warmup_average && k < options.warmup_iterations)
      running_psi2 = cumulative_mean(running_psi2, quadratic_mean, k);
    step.state.set("running_psi2",
                   moving_average(running_psi2, quadratic_mean, options.alpha_forward));
    set_iterations(k, step);
    step.outputs.set("quadratic_mean", quadratic_mean);
    step.outputs.set("batch_rstd", batch_rstd);
  }
  step.outputs.set("y", run_column_forward(in.x, affine, {}, rstd));
  step.outputs.set("rstd", rstd);
  if (options.group_scaling) step.outputs.set("group_rstd", scaling.outputs.get("rstd"));
}

void power_norm_released_backward(const PowerNormReleasedOptions& options, const NormInputs& given,
                                  const NormStep& forward, NormStep& step) {
  constexpr auto kName = "power_norm_released_backward";
  const Extents e = check_x(kName, given);
  check_decay(kName, "alpha_backward", options.alpha_backward);
  const DeviceTensor<double> nu = forward.state.at("nu");
  check_running_statistic(kName, "nu", nu, e.d_model, false);
  const AffineSpans affine = check_affine(kName, given, e.d_model);
  NormStep scaling;
  const NormInputs in = scaled_inputs(options, given, scaling);
  const bool training = in.mode == Mode::training;
  const bool by_batch = training && options.divide_by_batch_psi;
  const DeviceTensor<double> rstd = forward.outputs.get("rstd");
  const DeviceTensor<double> batch_rstd = forward.outputs.get("batch_rstd");
  if (by_batch) check_backward(kName, in, "batch_rstd", batch_rstd, {e.d_model});

  const ColumnBackward backward{kName, in, affine, {}, rstd, by_batch ? batch_rstd : rstd};
  backward.check();
  step.outputs.set("grad_beta", backward.grad_beta());
  step.outputs.set("grad_gamma", backward.grad_gamma());
  DeviceTensor<double> effective;
  ConstFlags flags;
  if (training) {
    const std::size_t valid_count = check_valid_rows(kName, in);
    const bool all = options.pads_in_backward;
    const ConstIndices rows = all ? ConstIndices{} : in.valid.rows();
    const std::size_t count = all ? e.rows() : valid_count;
    if (!all) flags = in.valid.flags();
    const PowerMoments moments = power_moments(backward, rows, count);
    ScaledNuUpdate moved{nu, {}};
    if (options.scaled_nu)
      moved = update_scaled_nu(options, backward, nu, rows, count);
    else
      moved.next = update_nu(nu, moments, options.alpha_backward);
    check_statistic(kName, "nu", moved.next, "grad_y", in.grad_y, Clause::C7, Clause::C7);
    effective = moved.effective;
    step.outputs.set("mean_x_hat_squared", moments.mean_x_hat_squared);
    step.outputs.set("mean_g_x_hat", moments.mean_g_x_hat);
    step.state.set("nu", moved.next);
  }
  DeviceTensor<double> grad_x = backward.grad_x({}, effective, flags);
  if (options.group_scaling) {
    const NormInputs plain{.x = given.x, .grad_y = grad_x};
    NormStep unscaled;
    group_scaling_backward(group_options(options), plain, scaling, unscaled);
    grad_x = unscaled.outputs.get("grad_x");
  }
  step.outputs.set("grad_x", grad_x);
}

}  // namespace normproof::gpu::norm
