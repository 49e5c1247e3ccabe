#pragma once

#include "gpu/device/mask.hpp"
#include "gpu/norm/normalized.hpp"
#include "gpu/ops/lane_kernels.hpp"

/// Kernels of the layers with statistics per group of features of a sample
/// (docs/specification/norms.md). The elements of a group are numbered by ascending token, then by
/// feature. Each warp processes one group. The index of the warp is `sample * groups + group`,
/// where `groups` is the number of groups per sample.
namespace normproof::gpu::norm {

/// Computes the row and the column of an element of a group.
struct GroupElements {
  std::size_t seq_len, d_model, groups;

  NORMPROOF_DEVICE std::size_t width() const { return d_model / groups; }
  NORMPROOF_DEVICE std::size_t row(std::size_t own, std::size_t token) const {
    return own / groups * seq_len + token;
  }
  NORMPROOF_DEVICE std::size_t column(std::size_t own, std::size_t i) const {
    return own % groups * width() + i % width();
  }
};

struct GroupForward {
  static constexpr int kNumTotals = 2;
  static constexpr int kNumMaxima = 0;
  ConstReals x;
  AffineSpans affine;
  GroupElements elements;
  device::TokenPositions places;
  double eps;
  Reals y, mean, rstd;

  template <class Totals>
  NORMPROOF_DEVICE double lane(int k, std::size_t own, std::size_t lane, Totals totals) const {
    const std::size_t sample = own / elements.groups;
    const std::size_t width = elements.width();
    const std::size_t count = places.size(sample) * width;
    const auto element = [&](std::size_t i) {
      const std::size_t row = elements.row(own, places.at(sample, i / width));
      return x[row * elements.d_model + elements.column(own, i)];
    };
    if (k == 0) return ops::lane_sum(count, lane, element);
    const double own_mean = totals[0] / static_cast<double>(count);
    return ops::lane_sum(count, lane, [&](std::size_t i) {
      const double d = element(i) - own_mean;
      return d * d;
    });
  }
  template <class Totals>
  NORMPROOF_DEVICE void finish(std::size_t own, std::size_t lane, Totals totals) const {
    const auto count = static_cast<double>(places.size(own / elements.groups) * elements.width());
    const double own_mean = totals[0] / count;
    const double own_rstd = 1.0 / __builtin_sqrt(totals[1] / count + eps);
    if (lane == 0) {
      mean[own] = own_mean;
      rstd[own] = own_rstd;
    }
    for (std::size_t i = lane; i < elements.seq_len * elements.width(); i += ops::kLanes) {
      const std::size_t column = elements.column(own, i);
      const std::size_t at = elements.row(own, i / elements.width()) * elements.d_model + column;
      y[at] = affine.gamma_at(column) * ((x[at] - own_mean) * own_rstd) + affine.beta_at(column);
    }
  }
};

/// The backward. With g = gamma grad_y, a = S(g)/m and c = S(g x_hat)/m: grad_x = (g - (a + x_hat
/// c)) rstd for valid tokens and g rstd for masked tokens. S is the sum over all tokens of the
/// group; m is the number of its valid elements.
struct GroupBackward {
  static constexpr int kNumTotals = 2;
  static constexpr int kNumMaxima = 0;
  ConstReals grad_y;
  XHat<Statistics::of_group, true> x_hat;
  AffineSpans affine;
  GroupElements elements;
  device::TokenPositions places;
  ConstFlags valid;
  Reals grad_x;

  template <class Totals>
  NORMPROOF_DEVICE double lane(int k, std::size_t own, std::size_t lane, Totals) const {
    return ops::lane_sum(elements.seq_len * elements.width(), lane, [&](std::size_t i) {
      const std::size_t row = elements.row(own, i / elements.width());
      const std::size_t column = elements.column(own, i);
      return k == 0 ? g(row, column) : g(row, column) * x_hat(row, column);
    });
  }
  template <class Totals>
  NORMPROOF_DEVICE void finish(std::size_t own, std::size_t lane, Totals totals) const {
    const auto m = static_cast<double>(places.size(own / elements.groups) * elements.width());
    const double a = totals[0] / m;
    const double c = totals[1] / m;
    const double rstd = x_hat.rstd[own];
    for (std::size_t i = lane; i < elements.seq_len * elements.width(); i += ops::kLanes) {
      const std::size_t row = elements.row(own, i / elements.width());
      const std::size_t column = elements.column(own, i);
      const bool counts = !valid.given() || valid[row];
      grad_x[row * elements.d_model + column] =
          counts ? (g(row, column) - (a + x_hat(row, column) * c)) * rstd : g(row, column) * rstd;
    }
  }

 private:
  NORMPROOF_DEVICE double g(std::size_t row, std::size_t column) const {
    return affine.gamma_at(column) * grad_y[row * elements.d_model + column];
  }
};

}  // namespace normproof::gpu::norm
