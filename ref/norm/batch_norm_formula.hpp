#pragma once

#include "ref/ops/column_traversal.hpp"
#include "ref/ops/row_traversal.hpp"

/// The formulas of batch_norm that loop over rows or columns. The other steps compute one number
/// per channel and are in batch_norm.cpp.
namespace normproof::ref::norm {

/// The arguments of the loops that compute the statistics of batch_norm: x [rows, D]; mean and
/// biased_variance [D].
template <class T>
struct BatchNormStatistics {
  ops::RowLayout layout;
  ops::RowList valid;
  const T* x;
  T* mean;
  T* biased_variance;
};

/// The inputs and the output of the forward of batch_norm: x and y [rows, D]. Every other array is
/// [D].
template <class T>
struct BatchNormRows {
  ops::RowLayout layout;
  const T* x;
  const T* gamma;
  const T* beta;
  const T* mean;
  const T* rstd;
  T* y;
};

/// The inputs of batch_norm_backward: grad_y and x [rows, D]. Every other array is [D].
template <class T>
struct BatchNormBackward {
  ops::RowLayout layout;
  const T* grad_y;
  const T* x;
  const T* gamma;
  const T* mean;
  const T* rstd;
};

/// The arguments of the loops that compute the gradients of gamma and beta. grad_gamma and
/// grad_beta are [D].
template <class T>
struct BatchNormParameterGradients : BatchNormBackward<T> {
  T* grad_gamma;
  T* grad_beta;
};

/// The arguments of the loops that compute the gradient of x: scale, and the means a and c of
/// batch_norm_backward, [D] each; grad_x [rows, D]. `valid` [rows] is null if all rows are valid. c
/// is null in inference, where the statistics are constants.
template <class T>
struct BatchNormBackwardRows : BatchNormBackward<T> {
  const bool* valid;
  const T* a;
  const T* c;
  const T* scale;  ///< rstd; in batch_renorm, r times rstd
  T* grad_x;
};

inline namespace NORMPROOF_ISA {

/// Computes the mean and the biased variance of each channel in the range, over the valid rows.
template <class T>
void compute(const BatchNormStatistics<T>& in, ops::IndexRange channels) {
  const ops::Columns<T> columns(in.layout, channels);
  const auto x = columns.of(in.x);
  columns.mean(in.valid, in.mean, [=](auto id) { return x[id]; });
  const auto mean = columns.each(in.mean);
  columns.mean(in.valid, in.biased_variance,
               [=](auto id) { return ops::squared(x[id] - mean[id]); });
}

/// Computes y, the output of batch_norm, for a range of rows.
template <class T>
void compute(const BatchNormRows<T>& in, ops::IndexRange rows) {
  const ops::View<T> gamma{in.gamma}, beta{in.beta}, mean{in.mean}, rstd{in.rstd};
  ops::for_each_row(in.layout, rows, ops::Inputs{in.x}, [&](auto& row, auto x) {
    const auto x_hat = [=](auto d) { return (x[d] - mean[d]) * rstd[d]; };
    row.write(in.y, [=](auto d) { return gamma[d] * x_hat(d) + beta[d]; });
  });
}

/// Computes the gradients of gamma and beta as sums over all rows, for a range of channels.
template <class T>
void compute(const BatchNormParameterGradients<T>& in, ops::IndexRange channels) {
  const ops::Columns<T> columns(in.layout, channels);
  const auto x = columns.of(in.x), grad_y = columns.of(in.grad_y);
  const auto mean = columns.each(in.mean), rstd = columns.each(in.rstd);
  const auto x_hat = [=](auto id) { return (x[id] - mean[id]) * rstd[id]; };
  columns.sums({nullptr, in.layout.count}, in.grad_gamma, in.grad_beta, [=](auto id) {
    return ops::TwoTerms{grad_y[id] * x_hat(id), grad_y[id]};
  });
}

/// Computes grad_x, the gradient of x, for a range of rows.
template <class T>
void compute(const BatchNormBackwardRows<T>& in, ops::IndexRange rows) {
  const ops::View<T> gamma{in.gamma}, mean{in.mean}, rstd{in.rstd}, a{in.a}, c{in.c},
      scale{in.scale};
  const auto formula = [&](auto& row, auto x, auto grad_y) {
    const auto x_hat = [=](auto d) { return (x[d] - mean[d]) * rstd[d]; };
    const auto g = [=](auto d) { return gamma[d] * grad_y[d]; };
    if (in.c != nullptr && (in.valid == nullptr || in.valid[row.index()]))
      row.write(in.grad_x, [=](auto d) { return (g(d) - (a[d] + x_hat(d) * c[d])) * scale[d]; });
    else
      row.write(in.grad_x, [=](auto d) { return g(d) * scale[d]; });
  };
  ops::for_each_row(in.layout, rows, ops::Inputs{in.x, in.grad_y}, formula);
}

}  // namespace NORMPROOF_ISA
}  // namespace normproof::ref::norm
