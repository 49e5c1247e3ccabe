#pragma once

#include "ref/numeric/any_order_error.hpp"
#include "ref/numeric/square_root.hpp"
#include "ref/numeric/square_root_float32.hpp"
#include "ref/ops/row_traversal.hpp"

namespace normproof::ref::norm {

/// The inputs and outputs of layer_norm: x and y [rows, D]; gamma and beta [D]; mean and rstd
/// [rows].
template <class T>
struct LayerNormRows {
  ops::RowLayout layout;
  const T* x;
  const T* gamma;
  const T* beta;
  T eps;
  T* y;
  T* mean;
  T* rstd;
};

/// The inputs and outputs of layer_norm_backward: grad_y, x and grad_x [rows, D]; gamma [D]; mean
/// and rstd [rows]. The sums that become grad_gamma and grad_beta are accumulated in `totals` [2,
/// D].
template <class T>
struct LayerNormBackwardRows {
  ops::RowLayout layout;
  const T* grad_y;
  const T* x;
  const T* gamma;
  const T* mean;
  const T* rstd;
  T* grad_x;
  ops::LaneTotals<T> totals;
};

inline namespace NORMPROOF_ISA {

/// Computes y, mean and rstd of layer_norm for a range of rows.
template <class T>
void compute(const LayerNormRows<T>& in, ops::IndexRange rows) {
  const ops::View<T> gamma{in.gamma}, beta{in.beta};
  ops::for_each_row(in.layout, rows, ops::Inputs{in.x}, [&](auto& row, auto x) {
    const T mean = row.mean([=](auto d) { return x[d]; });
    T biased_variance = row.mean([=](auto d) { return ops::squared(x[d] - mean); });
    numeric::tighten_variance(biased_variance, mean, in.layout.width,
                              [=](std::size_t i) { return x[ops::At{i}]; });
    const T rstd = T(1) / numeric::square_root(T(biased_variance + in.eps));
    const auto x_hat = [=](auto d) { return (x[d] - mean) * rstd; };
    row.write(in.y, [=](auto d) { return gamma[d] * x_hat(d) + beta[d]; });
    in.mean[row.index()] = mean;
    in.rstd[row.index()] = rstd;
  });
}

/// Computes grad_x of layer_norm_backward for the rows that belong to a range of lanes (partial
/// sums over rows), and adds the terms of these rows to `totals`.
template <class T>
void compute(const LayerNormBackwardRows<T>& in, ops::IndexRange lanes) {
  const ops::View<T> gamma{in.gamma};
  const auto formula = [&](auto& row, auto x, auto grad_y) {
    const T mean = in.mean[row.index()];
    const T rstd = in.rstd[row.index()];
    const auto grad_gamma = row.total(0);
    const auto grad_beta = row.total(1);
    const auto x_hat = [=](auto d) { return (x[d] - mean) * rstd; };
    const auto g = [=](auto d) { return gamma[d] * grad_y[d]; };
    const T a = row.mean(g);
    const T c = row.mean([=](auto d) {
      const auto x_hat_d = x_hat(d);
      grad_gamma[d] += grad_y[d] * x_hat_d;
      grad_beta[d] += grad_y[d];
      return g(d) * x_hat_d;
    });
    row.write(in.grad_x, [=](auto d) { return ((g(d) - a) - x_hat(d) * c) * rstd; });
  };
  ops::for_each_row_of_lanes(in.layout, lanes, ops::Inputs{in.x, in.grad_y}, in.totals, formula);
}

}  // namespace NORMPROOF_ISA
}  // namespace normproof::ref::norm
