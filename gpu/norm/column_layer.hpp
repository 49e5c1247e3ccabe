#pragma once

#include "gpu/norm/column_kernels.hpp"
#include "gpu/norm/layer_support.hpp"

/// What the layers with statistics per channel share. The formulas are in column_kernels.hpp.
namespace normproof::gpu::norm {

/// mean and biased_variance where centred, else the quadratic mean in `square`; over valid rows.
struct BatchStatistics {
  DeviceTensor<double> mean;
  DeviceTensor<double> square;
};
BatchStatistics batch_statistics(std::string_view name, const NormInputs& in, bool centered,
                                 std::size_t valid_count);

/// What a layer normalises by in inference: 1 / sqrt(running + eps), of a running statistic.
/// Checks    x and the result are finite
DeviceTensor<double> running_rstd(std::string_view name, const NormInputs& in,
                                  std::string_view statistic, const DeviceTensor<double>& running,
                                  double eps);

/// y = gamma ((x - mean) rstd) + beta, mean {} where the layer does not centre.
DeviceTensor<double> column_forward(const DeviceTensor<double>& x, const AffineSpans& affine,
                                    const DeviceTensor<double>& mean,
                                    const DeviceTensor<double>& rstd);

/// What a backward works with.
struct ColumnBackward {
  std::string_view name;
  const NormInputs& in;
  AffineSpans affine;
  DeviceTensor<double> mean;   ///< {} where the layer does not centre
  DeviceTensor<double> rstd;   ///< [D]
  DeviceTensor<double> scale;  ///< [D], the last factor of grad_x: rstd in most layers

  std::size_t width() const { return in.x.shape().back(); }
  std::size_t rows() const { return in.x.size() / width(); }

  /// Checks    the shapes of grad_y and of the statistics
  void check() const;
  /// S(grad_y x_hat) and S(grad_y), checked.
  DeviceTensor<double> grad_gamma() const;
  DeviceTensor<double> grad_beta() const;
  /// grad_x = (g - 1_V (a + x_hat c)) scale; a {} where not centred, c {} for g scale alone.
  DeviceTensor<double> grad_x(const DeviceTensor<double>& a, const DeviceTensor<double>& c,
                              ConstFlags valid) const;
  XHat<Statistics::of_column, false> plain_x_hat() const {
    return {in.x.span(), {}, rstd.span(), width()};
  }
};

/// What moves the memory of PowerNorm's backward.
struct PowerMoments {
  DeviceTensor<double> mean_x_hat_squared;
  DeviceTensor<double> mean_g_x_hat;
};
/// S(x_hat^2)/m and S(g x_hat)/m over the m rows listed.
PowerMoments power_moments(const ColumnBackward& backward, ConstIndices rows, std::size_t count);

DeviceTensor<double> next_nu(const DeviceTensor<double>& nu, const PowerMoments& moments,
                             double alpha);

}  // namespace normproof::gpu::norm
