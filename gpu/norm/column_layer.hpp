#pragma once

#include "gpu/norm/column_kernels.hpp"
#include "gpu/norm/layer_support.hpp"

/// Functions that the layers with statistics per channel share. The formulas are in
/// column_kernels.hpp.
namespace normproof::gpu::norm {

/// The statistics of each channel over the valid rows. `square` is the biased variance. If the
/// layer does not center, `square` is the quadratic mean and there is no mean.
struct BatchStatistics {
  DeviceTensor<double> mean;
  DeviceTensor<double> square;
};
BatchStatistics batch_statistics(std::string_view name, const NormInputs& in, bool centered,
                                 std::size_t valid_count);

/// Returns the rstd of inference: 1 / sqrt(running + eps), where `running` is a running statistic.
/// Checks    that x and the result are finite
DeviceTensor<double> running_rstd(std::string_view name, const NormInputs& in,
                                  std::string_view statistic, const DeviceTensor<double>& running,
                                  double eps);

/// Returns y = gamma ((x - mean) rstd) + beta. If the layer does not center, `mean` is {}.
DeviceTensor<double> run_column_forward(const DeviceTensor<double>& x, const AffineSpans& affine,
                                        const DeviceTensor<double>& mean,
                                        const DeviceTensor<double>& rstd);

/// The inputs of a backward, and the computations that the backwards of the layers with statistics
/// per channel share.
struct ColumnBackward {
  std::string_view name;
  const NormInputs& in;
  AffineSpans affine;
  DeviceTensor<double> mean;   ///< {} if the layer does not center
  DeviceTensor<double> rstd;   ///< [D]
  DeviceTensor<double> scale;  ///< [D], the last factor of grad_x; rstd in most layers

  std::size_t width() const { return in.x.shape().back(); }
  std::size_t rows() const { return in.x.size() / width(); }

  /// Checks    that grad_y and the statistics have the right shapes
  void check() const;
  /// grad_gamma returns the gradient of gamma, which is the sum of grad_y x_hat over all rows.
  /// grad_beta returns the gradient of beta, which is the sum of grad_y over all rows. Each
  /// function checks that its result is finite.
  DeviceTensor<double> grad_gamma() const;
  DeviceTensor<double> grad_beta() const;
  /// Returns the gradient of x: (g - (a + x_hat c)) scale, where g = gamma grad_y, and a and c are
  /// numbers per channel. If the layer does not center, `a` is {} and left out. In rows that are
  /// not valid, and in all rows if c is {}, the gradient is g scale.
  DeviceTensor<double> grad_x(const DeviceTensor<double>& a, const DeviceTensor<double>& c,
                              ConstFlags valid) const;
  XHat<Statistics::of_column, false> uncentered_x_hat() const {
    return {in.x.span(), {}, rstd.span(), width()};
  }
};

/// Means over a batch, per channel, that update the state nu of PowerNorm's backward.
struct PowerMoments {
  DeviceTensor<double> mean_x_hat_squared;
  DeviceTensor<double> mean_g_x_hat;
};
/// Returns the means of x_hat^2 and of g x_hat over the listed rows, where g = gamma grad_y.
/// `count` is the number of listed rows.
PowerMoments power_moments(const ColumnBackward& backward, ConstIndices rows, std::size_t count);

DeviceTensor<double> update_nu(const DeviceTensor<double>& nu, const PowerMoments& moments,
                               double alpha);

}  // namespace normproof::gpu::norm
