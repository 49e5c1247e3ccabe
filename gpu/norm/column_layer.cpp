#include "gpu/norm/column_layer.hpp"

#include "gpu/ops/reduce.hpp"

namespace normproof::gpu::norm {

BatchStatistics batch_statistics(std::string_view name, const NormInputs& in, bool centered,
                                 std::size_t valid_count) {
  Device& device = in.x.device();
  const std::size_t width = in.x.shape().back();
  const ConstIndices rows = in.valid.rows();
  BatchStatistics result;
  if (centered) {
    result.mean = divide_by_count(
        ops::column_sum(device, valid_count, width, MeanTerm{in.x.span(), rows, width}),
        valid_count);
    check_statistic(name, "mean", result.mean, "x", in.x);
  }
  result.square = divide_by_count(
      ops::column_sum(device, valid_count, width,
                      VarianceTerm{in.x.span(), std::as_const(result.mean).span(), rows, width}),
      valid_count);
  check_statistic(name, centered ? "biased_variance" : "quadratic_mean", result.square, "x", in.x);
  // Rows of padding have outputs too. They are not part of the statistics, so the check of the
  // statistics does not find non-finite values in them.
  if (in.valid.masks()) check_finite(name, "x", in.x, Clause::C4);
  return result;
}

DeviceTensor<double> running_rstd(std::string_view name, const NormInputs& in,
                                  std::string_view statistic, const DeviceTensor<double>& running,
                                  double eps) {
  check_finite(name, "x", in.x, Clause::C4);
  DeviceTensor<double> rstd = reciprocal_root(running, eps);
  check_reciprocal(name, "rstd", rstd, statistic, running);
  return rstd;
}

DeviceTensor<double> run_column_forward(const DeviceTensor<double>& x, const AffineSpans& affine,
                                        const DeviceTensor<double>& mean,
                                        const DeviceTensor<double>& rstd) {
  DeviceTensor<double> y(x.device(), x.shape());
  const std::size_t width = x.shape().back();
  if (mean.is_given())
    launch_elements(
        y.device(), y.size(),
        NormalizeColumns<true>{{x.span(), mean.span(), rstd.span(), width}, affine, y.span()});
  else
    launch_elements(y.device(), y.size(),
                    NormalizeColumns<false>{{x.span(), {}, rstd.span(), width}, affine, y.span()});
  return y;
}

void ColumnBackward::check() const {
  const Shape channels{width()};
  if (mean.is_given()) check_backward(name, in, "mean", mean, channels);
  check_backward(name, in, "rstd", rstd, channels);
}

DeviceTensor<double> ColumnBackward::grad_gamma() const {
  Device& device = in.x.device();
  const ConstReals grad_y = in.grad_y.span();
  DeviceTensor<double> sum =
      mean.is_given()
          ? ops::column_sum(device, rows(), width(),
                            GradGammaTerm<Statistics::of_column, true>{
                                grad_y, {in.x.span(), mean.span(), rstd.span(), width()}})
          : ops::column_sum(
                device, rows(), width(),
                GradGammaTerm<Statistics::of_column, false>{grad_y, uncentered_x_hat()});
  check_statistic(name, "grad_gamma", sum, "grad_y", in.grad_y, Clause::C7, Clause::C7);
  return sum;
}

DeviceTensor<double> ColumnBackward::grad_beta() const {
  DeviceTensor<double> sum = ops::sum_columns(in.grad_y);
  check_statistic(name, "grad_beta", sum, "grad_y", in.grad_y, Clause::C7, Clause::C7);
  return sum;
}

DeviceTensor<double> ColumnBackward::grad_x(const DeviceTensor<double>& a,
                                            const DeviceTensor<double>& c, ConstFlags valid) const {
  DeviceTensor<double> result(in.x.device(), in.x.shape());
  const auto launch = [&]<bool centered>(const XHat<Statistics::of_column, centered>& x_hat) {
    launch_elements(
        result.device(), result.size(),
        NormalizeColumnsBackward<centered>{in.grad_y.span(), x_hat, affine, a.span(), c.span(),
                                           scale.span(), valid, result.span()});
  };
  if (mean.is_given())
    launch(XHat<Statistics::of_column, true>{in.x.span(), mean.span(), rstd.span(), width()});
  else
    launch(uncentered_x_hat());
  return result;
}

PowerMoments power_moments(const ColumnBackward& backward, ConstIndices rows, std::size_t count) {
  Device& device = backward.in.x.device();
  const auto x_hat = backward.uncentered_x_hat();
  return {divide_by_count(
              ops::column_sum(device, count, backward.width(), XHatSquareTerm{x_hat, rows}), count),
          divide_by_count(ops::column_sum(device, count, backward.width(),
                                          GTimesXHatTerm{backward.in.grad_y.span(), backward.affine,
                                                         x_hat, rows}),
                          count)};
}

DeviceTensor<double> update_nu(const DeviceTensor<double>& nu, const PowerMoments& moments,
                               double alpha) {
  DeviceTensor<double> out(nu.device(), nu.shape());
  launch_elements(out.device(), out.size(),
                  UpdateNu{nu.span(), moments.mean_x_hat_squared.span(),
                           moments.mean_g_x_hat.span(), alpha, out.span()});
  return out;
}

}  // namespace normproof::gpu::norm
