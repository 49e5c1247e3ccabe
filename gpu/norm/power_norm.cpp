#include "gpu/norm/power_norm.hpp"

#include "gpu/norm/column_layer.hpp"

namespace normproof::gpu::norm {

std::int64_t check_iterations(const NormStep& step) {
  const DeviceTensor<double>& iterations = step.state.at("iterations");
  check_shape("norm_step", "iterations", iterations.shape(), {1}, Clause::C10);
  const double count = device::download_element(iterations);
  const bool whole = count >= 0 && count <= 0x1p53 &&
                     static_cast<double>(static_cast<std::int64_t>(count)) == count;
  check_option("norm_step", "iterations", count, whole, "a whole number, 0 or more", Clause::C10);
  return static_cast<std::int64_t>(count);
}

void set_iterations(std::int64_t iterations, NormStep& step) {
  Device& device = step.state.at("iterations").device();
  step.state.set("iterations", device::full_tensor(device, {1}, static_cast<double>(iterations)));
}

void power_norm(const ref::model::PowerNormOptions& options, const NormInputs& in, NormStep& step) {
  constexpr auto kName = "power_norm";
  const std::int64_t iterations = check_iterations(step);
  const Extents e = check_x(kName, in);
  check_eps(kName, options.eps);
  check_decay(kName, "alpha_forward", options.alpha_forward);
  check_count(kName, "warmup_iterations", options.warmup_iterations, Clause::C14);
  const DeviceTensor<double> running_psi2 = step.state.at("running_psi2");
  check_running_statistic(kName, "running_psi2", running_psi2, e.d_model, true);
  check_running_statistic(kName, "nu", step.state.at("nu"), e.d_model, false);
  const AffineSpans affine = check_affine(kName, in, e.d_model);

  DeviceTensor<double> rstd;
  if (in.mode == Mode::inference) {
    rstd = running_rstd(kName, in, "running_psi2", running_psi2, options.eps);
  } else {
    const DeviceTensor<double> quadratic_mean =
        batch_statistics(kName, in, false, check_valid_rows(kName, in)).square;
    const bool warming_up = iterations + 1 <= options.warmup_iterations;
    const DeviceTensor<double>& psi2 = warming_up ? quadratic_mean : running_psi2;
    rstd = reciprocal_root(psi2, options.eps);
    check_reciprocal(kName, "rstd", rstd, warming_up ? "x" : "running_psi2", psi2);
    step.state.set("running_psi2",
                   moving_average(running_psi2, quadratic_mean, options.alpha_forward));
    set_iterations(iterations + 1, step);
    step.outputs.set("quadratic_mean", quadratic_mean);
  }
  step.outputs.set("y", run_column_forward(in.x, affine, {}, rstd));
  step.outputs.set("rstd", rstd);
}

void power_norm_backward(const ref::model::PowerNormOptions& options, const NormInputs& in,
                         const NormStep& forward, NormStep& step) {
  constexpr auto kName = "power_norm_backward";
  const Extents e = check_x(kName, in);
  check_decay(kName, "alpha_backward", options.alpha_backward);
  const DeviceTensor<double> nu = forward.state.at("nu");
  check_running_statistic(kName, "nu", nu, e.d_model, false);
  const DeviceTensor<double> rstd = forward.outputs.get("rstd");
  const ColumnBackward backward{kName, in, check_affine(kName, in, e.d_model), {}, rstd, rstd};
  backward.check();
  step.outputs.set("grad_beta", backward.grad_beta());
  step.outputs.set("grad_gamma", backward.grad_gamma());
  if (in.mode == Mode::inference) {
    step.outputs.set("grad_x", backward.grad_x({}, {}, {}));
    return;
  }
  const std::size_t count = check_valid_rows(kName, in);
  const PowerMoments moments = power_moments(backward, in.valid.rows(), count);
  const DeviceTensor<double> next = update_nu(nu, moments, options.alpha_backward);
  check_statistic(kName, "nu", next, "grad_y", in.grad_y, Clause::C7, Clause::C7);
  step.outputs.set("mean_x_hat_squared", moments.mean_x_hat_squared);
  step.outputs.set("mean_g_x_hat", moments.mean_g_x_hat);
  step.outputs.set("grad_x", backward.grad_x({}, nu, in.valid.flags()));
  step.state.set("nu", next);
}

}  // namespace normproof::gpu::norm
