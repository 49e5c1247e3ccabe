#pragma once

#include "ref/norm/batch_norm_formula.hpp"

/// The formulas of batch_renorm that differ from those of batch_norm.
namespace normproof::ref::norm {

/// The inputs and the output of batch_renorm in training. z (the input normalized as in batch_norm)
/// and y are [rows, D] and may share their memory. Every other array is [D].
template <class T>
struct BatchRenormRows {
  ops::RowLayout layout;
  const T* z;
  const T* gamma;
  const T* beta;
  const T* r;
  const T* d;
  T* y;
};

/// The arguments of the loops that compute the gradient of gamma in training. r, d and grad_gamma
/// are [D].
template <class T>
struct BatchRenormGammaGradient : BatchNormBackward<T> {
  const T* r;
  const T* d;
  T* grad_gamma;
};

inline namespace NORMPROOF_ISA {

/// Computes y, the output of batch_renorm, for a range of rows.
template <class T>
void compute(const BatchRenormRows<T>& in, ops::IndexRange rows) {
  const ops::View<T> gamma{in.gamma}, beta{in.beta}, r{in.r}, d{in.d};
  ops::for_each_row(in.layout, rows, ops::Inputs{in.z}, [&](auto& row, auto z) {
    const auto x_hat = [=](auto i) { return z[i] * r[i] + d[i]; };
    row.write(in.y, [=](auto i) { return gamma[i] * x_hat(i) + beta[i]; });
  });
}

/// Computes the gradient of gamma as a sum over all rows, for a range of channels.
template <class T>
void compute(const BatchRenormGammaGradient<T>& in, ops::IndexRange channels) {
  const ops::Columns<T> columns(in.layout, channels);
  const auto x = columns.of(in.x), grad_y = columns.of(in.grad_y);
  const auto mean = columns.each(in.mean), rstd = columns.each(in.rstd);
  const auto r = columns.each(in.r), d = columns.each(in.d);
  const auto z = [=](auto id) { return (x[id] - mean[id]) * rstd[id]; };
  const auto x_hat = [=](auto id) { return z(id) * r[id] + d[id]; };
  columns.sum({nullptr, in.layout.count}, in.grad_gamma,
              [=](auto id) { return grad_y[id] * x_hat(id); });
}

}  // namespace NORMPROOF_ISA
}  // namespace normproof::ref::norm
