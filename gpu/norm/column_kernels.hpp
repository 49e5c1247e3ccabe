#pragma once

#include "gpu/norm/normalized.hpp"

/// Kernels of the layers with statistics per column (docs/specification/norms.md). A type whose
/// name ends in Term has no output; it computes the terms that ops::column_sum adds. `rows` lists
/// the rows of a sum in ascending order. If `rows` is absent, the sum is over all rows.
namespace normproof::gpu::norm {

NORMPROOF_DEVICE inline std::size_t row_number(const ConstIndices& rows, std::size_t r) {
  return rows.given() ? rows[r] : r;
}

/// The term of a column's mean: x.
struct MeanTerm {
  ConstReals x;
  ConstIndices rows;
  std::size_t width;
  NORMPROOF_DEVICE double operator()(std::size_t r, std::size_t column) const {
    return x[row_number(rows, r) * width + column];
  }
};

/// The term of a column's variance: (x - mean)^2. If the mean is absent: the term of the column's
/// quadratic mean, x^2.
struct VarianceTerm {
  ConstReals x, mean;
  ConstIndices rows;
  std::size_t width;
  NORMPROOF_DEVICE double operator()(std::size_t r, std::size_t column) const {
    const double v = x[row_number(rows, r) * width + column];
    const double d = mean.given() ? v - mean[column] : v;
    return d * d;
  }
};

/// The term x_hat^2 of PowerNorm's mean_x_hat_squared.
struct XHatSquareTerm {
  XHat<Statistics::of_column, false> x_hat;
  ConstIndices rows;
  NORMPROOF_DEVICE double operator()(std::size_t r, std::size_t column) const {
    const double value = x_hat(row_number(rows, r), column);
    return value * value;
  }
};

/// The term g x_hat of PowerNorm's mean_g_x_hat, where g = gamma grad_y.
struct GTimesXHatTerm {
  ConstReals grad_y;
  AffineSpans affine;
  XHat<Statistics::of_column, false> x_hat;
  ConstIndices rows;
  NORMPROOF_DEVICE double operator()(std::size_t r, std::size_t column) const {
    const std::size_t row = row_number(rows, r);
    const double g = affine.gamma_at(column) * grad_y[row * x_hat.width + column];
    return g * x_hat(row, column);
  }
};

/// The term t x_hat of the update of PowerNorm's nu, where t = g - x_hat nu and g = gamma grad_y.
struct NuUpdateTerm {
  ConstReals grad_y;
  AffineSpans affine;
  XHat<Statistics::of_column, false> x_hat;
  ConstReals nu;
  ConstIndices rows;
  NORMPROOF_DEVICE double operator()(std::size_t r, std::size_t column) const {
    const std::size_t row = row_number(rows, r);
    const double value = x_hat(row, column);
    const double g = affine.gamma_at(column) * grad_y[row * x_hat.width + column];
    return (g - value * nu[column]) * value;
  }
};

/// The term of grad_gamma in batch renormalization: grad_y (z r + d). z is x normalized with the
/// batch's own statistics; r and d are the factors of `BatchRenormFactors`.
struct RenormGammaTerm {
  ConstReals grad_y;
  XHat<Statistics::of_column, true> z;
  ConstReals r, d;
  NORMPROOF_DEVICE double operator()(std::size_t row, std::size_t column) const {
    return grad_y[row * z.width + column] * (z(row, column) * r[column] + d[column]);
  }
};

/// Normalizes columns: y = gamma x_hat + beta.
template <bool centered>
struct NormalizeColumns {
  XHat<Statistics::of_column, centered> x_hat;
  AffineSpans affine;
  Reals y;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    const std::size_t column = i % x_hat.width;
    y[i] = affine.gamma_at(column) * x_hat(i / x_hat.width, column) + affine.beta_at(column);
  }
};

/// The output of batch renormalization: y = gamma (z r + d) + beta. z is x normalized with the
/// batch's own statistics.
struct RenormalizeColumns {
  XHat<Statistics::of_column, true> z;
  AffineSpans affine;
  ConstReals r, d;
  Reals y;
  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    const std::size_t column = i % z.width;
    // This repeats the rounding of ref, which computes z by a batch norm with gamma = 1 and beta =
    // 0.
    const double own = 1.0 * z(i / z.width, column) + 0.0;
    y[i] = affine.gamma_at(column) * (own * r[column] + d[column]) + affine.beta_at(column);
  }
};

/// The backward of a layer with statistics per column. With g = gamma grad_y and the numbers a, c
/// and scale of the column: grad_x = (g - (a + x_hat c)) scale. A layer that does not center leaves
/// out a. In masked rows, and in all rows if c is absent, grad_x = g scale.
template <bool centered>
struct NormalizeColumnsBackward {
  ConstReals grad_y;
  XHat<Statistics::of_column, centered> x_hat;
  AffineSpans affine;
  ConstReals a, c, scale;
  ConstFlags valid;
  Reals grad_x;

  NORMPROOF_DEVICE void operator()(std::size_t i) const {
    const std::size_t row = i / x_hat.width;
    const std::size_t column = i % x_hat.width;
    const double g = affine.gamma_at(column) * grad_y[i];
    if (!c.given() || (valid.given() && !valid[row])) {
      grad_x[i] = g * scale[column];
      return;
    }
    const double along = x_hat(row, column) * c[column];
    grad_x[i] = (centered ? g - (a[column] + along) : g - along) * scale[column];
  }
};

}  // namespace normproof::gpu::norm
