#pragma once

#include "gpu/device/span.hpp"

namespace normproof::gpu::norm {

using device::ConstFlags;
using device::ConstIndices;
using device::ConstReals;
using device::Reals;

/// gamma and beta of each feature. An absent gamma counts as ones, an absent beta as zeros.
struct AffineSpans {
  ConstReals gamma, beta;
  NORMPROOF_DEVICE double gamma_at(std::size_t i) const { return gamma.given() ? gamma[i] : 1.0; }
  NORMPROOF_DEVICE double beta_at(std::size_t i) const { return beta.given() ? beta[i] : 0.0; }
};

/// The elements that each mean and rstd is computed over: a row, a column, or a group of columns of
/// one sample.
enum class Statistics { of_row, of_column, of_group };

/// Computes x_hat at a row and a column: (x - mean) rstd, or x rstd if the layer does not center.
template <Statistics per, bool centered>
struct XHat {
  ConstReals x, mean, rstd;
  std::size_t width;          ///< columns
  std::size_t seq_len = 1;    ///< for of_group: rows per sample
  std::size_t per_group = 1;  ///< for of_group: columns per group

  NORMPROOF_DEVICE double operator()(std::size_t row, std::size_t column) const {
    const std::size_t own = statistic(row, column);
    const double v = x[row * width + column];
    return centered ? (v - mean[own]) * rstd[own] : v * rstd[own];
  }
  NORMPROOF_DEVICE std::size_t statistic(std::size_t row, std::size_t column) const {
    if constexpr (per == Statistics::of_row) return row;
    if constexpr (per == Statistics::of_column) return column;
    return row / seq_len * (width / per_group) + column / per_group;
  }
};

/// The term of the sum grad_gamma: grad_y x_hat.
template <Statistics per, bool centered>
struct GradGammaTerm {
  ConstReals grad_y;
  XHat<per, centered> x_hat;
  NORMPROOF_DEVICE double operator()(std::size_t row, std::size_t column) const {
    return grad_y[row * x_hat.width + column] * x_hat(row, column);
  }
};

}  // namespace normproof::gpu::norm
