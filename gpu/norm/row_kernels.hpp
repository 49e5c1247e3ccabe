#pragma once

#include "gpu/norm/normalized.hpp"
#include "gpu/ops/lane_kernels.hpp"

/// Kernels of the layers with statistics per row (docs/specification/norms.md). With `groups`
/// groups, each row of x is split into that number of equal parts, and each part has its own
/// statistics. In this header, "row" means such a part: row r consists of the `width` elements from
/// index `r * width` on. A warp processes each row.
namespace normproof::gpu::norm {

/// The forward: computes the statistics and y = gamma x_hat + beta. Without parameters y = x_hat.
template <bool centered>
struct RowForward {
  static constexpr int kNumTotals = centered ? 2 : 1;
  static constexpr int kNumMaxima = 0;
  ConstReals x;
  AffineSpans affine;
  bool has_parameters;
  double eps;
  std::size_t width;
  Reals y, mean, rstd;

  template <class Totals>
  NORMPROOF_DEVICE double lane(int k, std::size_t row, std::size_t lane, Totals totals) const {
    const std::size_t first = row * width;
    if (centered && k == 0)
      return ops::lane_sum_with_prefetch(width, lane, [&](std::size_t i) { return x[first + i]; });
    const double own_mean = compute_mean(totals);
    return ops::lane_sum_with_prefetch(width, lane, [&](std::size_t i) {
      const double d = subtract_mean(x[first + i], own_mean);
      return d * d;
    });
  }
  template <class Totals>
  NORMPROOF_DEVICE void finish(std::size_t row, std::size_t lane, Totals totals) const {
    const double own_mean = compute_mean(totals);
    const double own_rstd =
        1.0 / __builtin_sqrt(totals[kNumTotals - 1] / static_cast<double>(width) + eps);
    if (lane == 0 && centered) mean[row] = own_mean;
    if (lane == 0) rstd[row] = own_rstd;
    for (std::size_t i = lane; i < width; i += ops::kLanes) {
      const double x_hat = subtract_mean(x[row * width + i], own_mean) * own_rstd;
      y[row * width + i] = has_parameters ? affine.gamma_at(i) * x_hat + affine.beta_at(i) : x_hat;
    }
  }

 private:
  template <class Totals>
  NORMPROOF_DEVICE double compute_mean(Totals totals) const {
    return centered ? totals[0] / static_cast<double>(width) : 0.0;
  }
  NORMPROOF_DEVICE static double subtract_mean(double v, double own_mean) {
    return centered ? v - own_mean : v;
  }
};

/// The backward: grad_x = ((g - a) - x_hat c) rstd, where g = gamma grad_y, a is the mean of g over
/// the row, and c is the mean of g x_hat over the row. A layer that does not center leaves out a.
template <bool centered>
struct RowBackward {
  static constexpr int kNumTotals = centered ? 2 : 1;
  static constexpr int kNumMaxima = 0;
  ConstReals grad_y;
  XHat<Statistics::of_row, centered> x_hat;
  AffineSpans affine;
  std::size_t width;
  Reals grad_x;

  template <class Totals>
  NORMPROOF_DEVICE double lane(int k, std::size_t row, std::size_t lane, Totals) const {
    if (centered && k == 0)
      return ops::lane_sum_with_prefetch(width, lane, [&](std::size_t i) { return g(row, i); });
    return ops::lane_sum_with_prefetch(width, lane,
                                       [&](std::size_t i) { return g(row, i) * x_hat(row, i); });
  }
  template <class Totals>
  NORMPROOF_DEVICE void finish(std::size_t row, std::size_t lane, Totals totals) const {
    const double count = static_cast<double>(width);
    const double c = totals[kNumTotals - 1] / count;
    const double a = centered ? totals[0] / count : 0.0;
    const double rstd = x_hat.rstd[row];
    for (std::size_t i = lane; i < width; i += ops::kLanes) {
      const double along = x_hat(row, i) * c;
      grad_x[row * width + i] =
          centered ? ((g(row, i) - a) - along) * rstd : (g(row, i) - along) * rstd;
    }
  }

 private:
  NORMPROOF_DEVICE double g(std::size_t row, std::size_t i) const {
    return affine.gamma_at(i) * grad_y[row * width + i];
  }
};

}  // namespace normproof::gpu::norm
