#include "gpu/norm/power_norm_v.hpp"

#include "gpu/norm/column_layer.hpp"

namespace normproof::gpu::norm {

void power_norm_v(const ref::model::PowerNormVOptions& options, const NormInputs& in,
                  NormStep& step) {
  constexpr auto kName = "power_norm_v";
  const Extents e = check_x(kName, in);
  check_eps(kName, options.eps);
  check_decay(kName, "running_decay", options.running_decay);
  const DeviceTensor<double> running_psi2 = step.state.at("running_psi2");
  check_running_statistic(kName, "running_psi2", running_psi2, e.d_model, true);
  const AffineSpans affine = check_affine(kName, in, e.d_model);

  DeviceTensor<double> rstd;
  if (in.mode == Mode::inference) {
    rstd = running_rstd(kName, in, "running_psi2", running_psi2, options.eps);
  } else {
    const DeviceTensor<double> quadratic_mean =
        batch_statistics(kName, in, false, check_valid_rows(kName, in)).square;
    rstd = reciprocal_root(quadratic_mean, options.eps);
    check_reciprocal(kName, "rstd", rstd, "x", in.x);
    step.state.set("running_psi2",
                   moving_average(running_psi2, quadratic_mean, options.running_decay));
    step.outputs.set("quadratic_mean", quadratic_mean);
  }
  step.outputs.set("y", run_column_forward(in.x, affine, {}, rstd));
  step.outputs.set("rstd", rstd);
}

void power_norm_v_backward(const NormInputs& in, const NormStep& forward, NormStep& step) {
  constexpr auto kName = "power_norm_v_backward";
  const Extents e = check_x(kName, in);
  const DeviceTensor<double> rstd = forward.outputs.get("rstd");
  const ColumnBackward backward{kName, in, check_affine(kName, in, e.d_model), {}, rstd, rstd};
  backward.check();
  step.outputs.set("grad_beta", backward.grad_beta());
  const DeviceTensor<double> grad_gamma = backward.grad_gamma();
  step.outputs.set("grad_gamma", grad_gamma);
  if (in.mode == Mode::inference) {
    step.outputs.set("grad_x", backward.grad_x({}, {}, {}));
    return;
  }
  const std::size_t count = check_valid_rows(kName, in);
  step.outputs.set("grad_x", backward.grad_x({}, scaled_mean(backward.affine, grad_gamma, count),
                                             in.valid.flags()));
}

}  // namespace normproof::gpu::norm
