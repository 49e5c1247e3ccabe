#pragma once

#include "gpu/norm/column_kernels.hpp"
#include "gpu/norm/layer_support.hpp"

/// Shared parts of the layers with statistics per channel. The formulas are in column_kernels.hpp.
namespace normproof::gpu::norm {

/// Statistics over the valid rows. If centered, mean and the biased variance in `square`; otherwise
/// only the quadratic mean in `square`.
struct BatchStatistics {
  DeviceTensor<double> mean;
  DeviceTensor<double> square;
};
BatchStatistics batch_statistics(std::string_view name, const NormInputs& in, bool centered,
                                 std::size_t valid_count);

/// Returns the factor 1 / sqrt(running + eps) of inference, where `running` is a running statistic.
/// Checks    x and the result are finite
DeviceTensor<double> running_rstd(std::string_view name, const NormInputs& in,
                                  std::string_view statistic, const DeviceTensor<double>& running,
                                  double eps);

/// Returns y = gamma ((x - mean) rstd) + beta. mean is {} if the layer does not center.
DeviceTensor<double> column_forward(const DeviceTensor<double>& x, const AffineSpans& affine,
                                    const DeviceTensor<double>& mean,
                                    const DeviceTensor<double>& rstd);

/// The inputs of a backward, with the parts that the layers share.
struct ColumnBackward {
  std::string_view name;
  const NormInputs& in;
  AffineSpans affine;
  DeviceTensor<double> mean;   ///< {} if the layer does not center
  DeviceTensor<double> rstd;   ///< [D]
  DeviceTensor<double> scale;  ///< [D], the last factor of grad_x; rstd in most layers

  std::size_t width() const { return in.x.shape().back(); }
  std::size_t rows() const { return in.x.size() / width(); }

  /// Checks    the shapes of grad_y and of the statistics
  void check() const;
  /// S(grad_y x_hat) and S(grad_y), which are checked to be finite.
  DeviceTensor<double> grad_gamma() const;
  DeviceTensor<double> grad_beta() const;
  /// Returns grad_x = (g - 1_V (a + x_hat c)) scale. a is {} if the layer does not center. If c is
  /// {}, grad_x is g scale.
  DeviceTensor<double> grad_x(const DeviceTensor<double>& a, const DeviceTensor<double>& c,
                              ConstFlags valid) const;
  XHat<Statistics::of_column, false> plain_x_hat() const {
    return {in.x.span(), {}, rstd.span(), width()};
  }
};

/// Means over a batch that update the state nu of PowerNorm's backward.
struct PowerMoments {
  DeviceTensor<double> mean_x_hat_squared;
  DeviceTensor<double> mean_g_x_hat;
};
/// Returns S(x_hat^2)/m and S(g x_hat)/m over the m listed rows.
PowerMoments power_moments(const ColumnBackward& backward, ConstIndices rows, std::size_t count);

DeviceTensor<double> next_nu(const DeviceTensor<double>& nu, const PowerMoments& moments,
                             double alpha);

}  // namespace normproof::gpu::norm
