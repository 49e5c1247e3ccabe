#pragma once

#include "gpu/norm/normalized.hpp"
#include "gpu/ops/lane_kernels.hpp"

namespace normproof::gpu::norm {

/// The forward: y = gamma (x rnorm) with rnorm = 1 / sqrt(S(x^2) + eps), where S is the sum over
/// the row. gamma is [1] or absent.
struct ScaleForward {
  static constexpr int kNumTotals = 1;
  static constexpr int kNumMaxima = 0;
  ConstReals x, gamma;
  double eps;
  std::size_t width;
  Reals y, rnorm;

  template <class Totals>
  NORMPROOF_DEVICE double lane(int, std::size_t row, std::size_t lane, Totals) const {
    return ops::lane_sum(width, lane, [&](std::size_t i) {
      const double v = x[row * width + i];
      return v * v;
    });
  }
  template <class Totals>
  NORMPROOF_DEVICE void finish(std::size_t row, std::size_t lane, Totals totals) const {
    const double own = 1.0 / __builtin_sqrt(totals[0] + eps);
    const double scale = gamma.given() ? gamma[0] : 1.0;
    if (lane == 0) rnorm[row] = own;
    for (std::size_t i = lane; i < width; i += ops::kLanes)
      y[row * width + i] = scale * (x[row * width + i] * own);
  }
};

/// The backward: grad_x = (gamma rnorm) (grad_y - (x rnorm) along) with along = S(grad_y (x
/// rnorm)), where S is the sum over the row.
struct ScaleBackward {
  static constexpr int kNumTotals = 1;
  static constexpr int kNumMaxima = 0;
  ConstReals grad_y, x, gamma, rnorm;
  std::size_t width;
  Reals grad_x, along;

  template <class Totals>
  NORMPROOF_DEVICE double lane(int, std::size_t row, std::size_t lane, Totals) const {
    return ops::lane_sum(width, lane, [&](std::size_t i) {
      return grad_y[row * width + i] * (x[row * width + i] * rnorm[row]);
    });
  }
  template <class Totals>
  NORMPROOF_DEVICE void finish(std::size_t row, std::size_t lane, Totals totals) const {
    const double dot = totals[0];
    const double factor = (gamma.given() ? gamma[0] : 1.0) * rnorm[row];
    if (lane == 0) along[row] = dot;
    for (std::size_t i = lane; i < width; i += ops::kLanes) {
      const std::size_t at = row * width + i;
      grad_x[at] = factor * (grad_y[at] - (x[at] * rnorm[row]) * dot);
    }
  }
};

}  // namespace normproof::gpu::norm
