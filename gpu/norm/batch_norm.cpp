#include "gpu/norm/batch_norm.hpp"

#include "gpu/norm/column_layer.hpp"

namespace normproof::gpu::norm {
namespace {

DeviceTensor<double> unbiased_variance(const DeviceTensor<double>& biased_variance, std::size_t n) {
  DeviceTensor<double> out(biased_variance.device(), biased_variance.shape());
  launch_elements(out.device(), out.size(),
                  UnbiasedVariance{biased_variance.span(), static_cast<double>(n), out.span()});
  return out;
}

}  // namespace

void batch_norm(const ref::model::BatchNormOptions& options, const NormInputs& in, NormStep& step) {
  constexpr auto kName = "batch_norm";
  const Extents e = check_x(kName, in);
  check_eps(kName, options.eps);
  ref::model::check_row_layout(options);
  check_decay(kName, "running_decay", options.running_decay);
  const DeviceTensor<double> running_mean = step.state.at("running_mean");
  const DeviceTensor<double> running_variance = step.state.at("running_variance");
  check_running_statistic(kName, "running_mean", running_mean, e.d_model, false);
  check_running_statistic(kName, "running_variance", running_variance, e.d_model, true);
  const AffineSpans affine = check_affine(kName, in, e.d_model);

  DeviceTensor<double> mean = running_mean, rstd;
  if (in.mode == Mode::inference) {
    rstd = running_rstd(kName, in, "running_variance", running_variance, options.eps);
  } else {
    const std::size_t count = check_valid_rows(kName, in);
    if (options.unbiased_running_variance && count < 2)
      ref::numeric::contract_failure(kName, in.valid.is_given() ? "valid" : "x",
                                     in.valid.is_given() ? "has 1 valid row" : "has 1 row",
                                     "at least 2 with unbiased_running_variance", Clause::C8);
    BatchStatistics statistics = batch_statistics(kName, in, true, count);
    mean = statistics.mean;
    rstd = reciprocal_root(statistics.square, options.eps);
    check_reciprocal(kName, "rstd", rstd, "x", in.x);
    step.state.set("running_mean", moving_average(running_mean, mean, options.running_decay));
    step.state.set("running_variance",
                   moving_average(running_variance,
                                  options.unbiased_running_variance
                                      ? unbiased_variance(statistics.square, count)
                                      : statistics.square,
                                  options.running_decay));
    step.outputs.set("mean", mean);
    step.outputs.set("biased_variance", statistics.square);
  }
  step.outputs.set("y", run_column_forward(in.x, affine, mean, rstd));
  step.outputs.set("rstd", rstd);
}

void batch_norm_backward(const NormInputs& in, const NormStep& forward, NormStep& step) {
  constexpr auto kName = "batch_norm_backward";
  const bool training = in.mode == Mode::training;
  const Extents e = check_x(kName, in);
  const DeviceTensor<double> rstd = forward.outputs.get("rstd");
  const ColumnBackward backward{
      kName,
      in,
      check_affine(kName, in, e.d_model),
      training ? forward.outputs.get("mean") : forward.state.get("running_mean"),
      rstd,
      rstd};
  backward.check();
  const DeviceTensor<double> grad_beta = backward.grad_beta();
  const DeviceTensor<double> grad_gamma = backward.grad_gamma();
  step.outputs.set("grad_gamma", grad_gamma);
  step.outputs.set("grad_beta", grad_beta);
  if (!training) {
    step.outputs.set("grad_x", backward.grad_x({}, {}, {}));
    return;
  }
  const std::size_t count = check_valid_rows(kName, in);
  step.outputs.set(
      "grad_x", backward.grad_x(scaled_mean(backward.affine, grad_beta, count),
                                scaled_mean(backward.affine, grad_gamma, count), in.valid.flags()));
}

}  // namespace normproof::gpu::norm
