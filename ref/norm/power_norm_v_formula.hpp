#pragma once

#include "ref/ops/column_traversal.hpp"
#include "ref/ops/row_traversal.hpp"

/// The formulas of power_norm_v that loop over rows or columns. power_norm and power_norm_released
/// use some of them too. The other steps compute one number per channel and are in the .cpp files
/// of the layers.
namespace normproof::ref::norm {

/// The arguments of the loops that compute the quadratic mean (the mean of x^2): x [rows, D];
/// quadratic_mean [D].
template <class T>
struct QuadraticMean {
  ops::RowLayout layout;
  ops::RowList valid;
  const T* x;
  T* quadratic_mean;
};

/// The arguments of the loop that computes y from x: x and y [rows, D]. Every other array is [D].
template <class T>
struct PowerNormRows {
  ops::RowLayout layout;
  const T* x;
  const T* gamma;
  const T* beta;
  const T* rstd;
  T* y;
};

/// The arrays that all loops of the backward read: grad_y and x [rows, D]. Every other array is
/// [D].
template <class T>
struct PowerNormGradients {
  ops::RowLayout layout;
  const T* grad_y;
  const T* x;
  const T* gamma;
  const T* rstd;
};

/// The arguments of the loops that compute the gradients of gamma and beta. grad_gamma and
/// grad_beta are [D].
template <class T>
struct PowerNormParameterGradients : PowerNormGradients<T> {
  T* grad_gamma;
  T* grad_beta;
};

/// The arguments of the loops that compute the gradient of x: c and scale [D]; grad_x [rows, D].
/// `valid` [rows] is null if all rows are valid. In training, c is gamma grad_gamma / n for
/// power_norm_v, and nu for power_norm and power_norm_released. In inference, c is null.
template <class T>
struct PowerNormBackwardRows : PowerNormGradients<T> {
  const bool* valid;
  const T* c;
  const T* scale;  ///< rstd, or batch_rstd if divide_by_batch_psi is set
  T* grad_x;
};

inline namespace NORMPROOF_ISA {

/// Computes the quadratic mean (the mean of x^2) of each channel in the range, over the valid rows.
template <class T>
void compute(const QuadraticMean<T>& in, ops::IndexRange channels) {
  const ops::Columns<T> columns(in.layout, channels);
  const auto x = columns.of(in.x);
  columns.mean(in.valid, in.quadratic_mean, [=](auto id) { return x[id] * x[id]; });
}

/// Computes y, the output of the forward, for a range of rows.
template <class T>
void compute(const PowerNormRows<T>& in, ops::IndexRange rows) {
  const ops::View<T> gamma{in.gamma}, beta{in.beta}, rstd{in.rstd};
  ops::for_each_row(in.layout, rows, ops::Inputs{in.x}, [&](auto& row, auto x) {
    const auto x_hat = [=](auto d) { return x[d] * rstd[d]; };
    row.write(in.y, [=](auto d) { return gamma[d] * x_hat(d) + beta[d]; });
  });
}

/// Computes the gradients of gamma and beta as sums over all rows, for a range of channels.
template <class T>
void compute(const PowerNormParameterGradients<T>& in, ops::IndexRange channels) {
  const ops::Columns<T> columns(in.layout, channels);
  const auto x = columns.of(in.x), grad_y = columns.of(in.grad_y);
  const auto rstd = columns.each(in.rstd);
  const auto x_hat = [=](auto id) { return x[id] * rstd[id]; };
  columns.sums({nullptr, in.layout.count}, in.grad_gamma, in.grad_beta, [=](auto id) {
    return ops::TwoTerms{grad_y[id] * x_hat(id), grad_y[id]};
  });
}

/// Computes grad_x, the gradient of x, for a range of rows.
template <class T>
void compute(const PowerNormBackwardRows<T>& in, ops::IndexRange rows) {
  const ops::View<T> gamma{in.gamma}, rstd{in.rstd}, c{in.c}, scale{in.scale};
  const auto formula = [&](auto& row, auto x, auto grad_y) {
    const auto x_hat = [=](auto d) { return x[d] * rstd[d]; };
    const auto g = [=](auto d) { return gamma[d] * grad_y[d]; };
    if (in.c != nullptr && (in.valid == nullptr || in.valid[row.index()]))
      row.write(in.grad_x, [=](auto d) { return (g(d) - x_hat(d) * c[d]) * scale[d]; });
    else
      row.write(in.grad_x, [=](auto d) { return g(d) * scale[d]; });
  };
  ops::for_each_row(in.layout, rows, ops::Inputs{in.x, in.grad_y}, formula);
}

}  // namespace NORMPROOF_ISA
}  // namespace normproof::ref::norm
