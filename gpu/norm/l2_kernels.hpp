#pragma once

#include "gpu/ops/lane_kernels.hpp"
#include "ref/model/operation.hpp"

namespace normproof::gpu::norm {

using ops::ConstReals;
using ops::Reals;
using ref::model::EpsPlacement;

/// The two factors of a row. The forward multiplies x by `reciprocal` (r), the backward multiplies
/// x by `weight` (w). They depend on the row's squared norm, as in ref/norm/l2_norm.hpp.
struct L2Factors {
  double reciprocal, weight;

  NORMPROOF_DEVICE L2Factors(double square, double eps, EpsPlacement placement) {
    if (placement == EpsPlacement::inside) {
      weight = reciprocal = 1.0 / __builtin_sqrt(square + eps);
      return;
    }
    const double n = __builtin_sqrt(square);
    if (placement == EpsPlacement::outside) {
      reciprocal = 1.0 / (n + eps);
      weight = n == 0 ? 0.0 : 1.0 / n;
    } else {
      reciprocal = 1.0 / (n < eps ? eps : n);
      weight = n < eps ? 0.0 : reciprocal;
    }
  }
};

/// The forward: y = x r. Stores r of each row in `reciprocal`.
struct L2Forward {
  static constexpr int kNumTotals = 1;
  static constexpr int kNumMaxima = 0;
  ConstReals x;
  double eps;
  EpsPlacement placement;
  std::size_t width;
  Reals y, reciprocal;

  template <class Totals>
  NORMPROOF_DEVICE double lane(int, std::size_t row, std::size_t lane, Totals) const {
    return ops::lane_sum(width, lane, [&](std::size_t i) {
      const double v = x[row * width + i];
      return v * v;
    });
  }
  template <class Totals>
  NORMPROOF_DEVICE void finish(std::size_t row, std::size_t lane, Totals totals) const {
    const L2Factors factors(totals[0], eps, placement);
    if (lane == 0) reciprocal[row] = factors.reciprocal;
    for (std::size_t i = lane; i < width; i += ops::kLanes)
      y[row * width + i] = x[row * width + i] * factors.reciprocal;
  }
};

/// The backward: grad_x = r (grad_y - (x r) e) with e = S(grad_y (x w)), where S is the sum over
/// the row. Stores r of each row in `reciprocal`.
struct L2Backward {
  static constexpr int kNumTotals = 2;
  static constexpr int kNumMaxima = 0;
  ConstReals grad_y, x;
  double eps;
  EpsPlacement placement;
  std::size_t width;
  Reals grad_x, reciprocal, e;

  template <class Totals>
  NORMPROOF_DEVICE double lane(int k, std::size_t row, std::size_t lane, Totals totals) const {
    if (k == 0)
      return ops::lane_sum(width, lane, [&](std::size_t i) {
        const double v = x[row * width + i];
        return v * v;
      });
    const L2Factors factors(totals[0], eps, placement);
    return ops::lane_sum(width, lane, [&](std::size_t i) {
      return grad_y[row * width + i] * (x[row * width + i] * factors.weight);
    });
  }
  template <class Totals>
  NORMPROOF_DEVICE void finish(std::size_t row, std::size_t lane, Totals totals) const {
    const L2Factors factors(totals[0], eps, placement);
    const double r = factors.reciprocal, sum = totals[1];
    if (lane == 0) {
      reciprocal[row] = r;
      e[row] = sum;
    }
    for (std::size_t i = lane; i < width; i += ops::kLanes) {
      const std::size_t at = row * width + i;
      grad_x[at] = r * (grad_y[at] - (x[at] * r) * sum);
    }
  }
};

}  // namespace normproof::gpu::norm
