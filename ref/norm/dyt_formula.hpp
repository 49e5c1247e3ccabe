#pragma once

#include "ref/ops/generic_elements.hpp"
#include "ref/ops/row_traversal.hpp"

namespace normproof::ref::norm {

/// The inputs and the output of dyt: x and y [rows, D]; gamma and beta [D].
template <class T>
struct DyTRows {
  ops::RowLayout layout;
  const T* x;
  const T* gamma;
  const T* beta;
  T alpha;
  T* y;
};

/// The inputs and outputs of dyt_backward: grad_y, x and grad_x [rows, D]; gamma [D]. The sums that
/// give grad_gamma, grad_beta and grad_alpha are accumulated in `totals` [3, D].
template <class T>
struct DyTBackwardRows {
  ops::RowLayout layout;
  const T* grad_y;
  const T* x;
  const T* gamma;
  T alpha;
  T* grad_x;
  ops::LaneTotals<T> totals;
};

inline namespace NORMPROOF_ISA {

/// Computes t = tanh(alpha x) for one row x of D elements.
template <class T>
void compute_tanh_of_alpha_x(ops::View<T> x, const T& alpha, std::size_t d_model, T* t) {
  ops::fill(t, d_model, false, [=](auto d) { return alpha * x[d]; });
  ops::Elements<T>::tanh(t, d_model, t);
}

/// Computes y, the output of dyt, for a range of rows.
template <class T>
void compute(const DyTRows<T>& in, ops::IndexRange rows) {
  const ops::View<T> gamma{in.gamma}, beta{in.beta};
  ops::Scratch<T> scratch(in.layout.width);
  const ops::View<T> t{scratch.get()};
  ops::for_each_row(in.layout, rows, ops::Inputs{in.x}, [&](auto& row, auto x) {
    compute_tanh_of_alpha_x(x, in.alpha, in.layout.width, scratch.get());
    row.write(in.y, [=](auto d) { return gamma[d] * t[d] + beta[d]; });
  });
}

/// Computes grad_x for the rows that belong to a range of lanes (partial sums over rows), and adds
/// the terms of these rows to `totals`.
template <class T>
void compute(const DyTBackwardRows<T>& in, ops::IndexRange lanes) {
  const ops::View<T> gamma{in.gamma};
  const T one(1);
  ops::Scratch<T> scratch(in.layout.width);
  const ops::View<T> t{scratch.get()};
  const auto formula = [&](auto& row, auto x, auto grad_y) {
    compute_tanh_of_alpha_x(x, in.alpha, in.layout.width, scratch.get());
    const auto grad_gamma = row.total(0);
    const auto grad_beta = row.total(1);
    const auto grad_alpha = row.total(2);
    row.write(in.grad_x, [=, alpha = in.alpha](auto d) {
      const auto grad_u = (gamma[d] * grad_y[d]) * (one - t[d] * t[d]);
      grad_gamma[d] += grad_y[d] * t[d];
      grad_beta[d] += grad_y[d];
      grad_alpha[d] += grad_u * x[d];
      return grad_u * alpha;
    });
  };
  ops::for_each_row_of_lanes(in.layout, lanes, ops::Inputs{in.x, in.grad_y}, in.totals, formula);
}

}  // namespace NORMPROOF_ISA
}  // namespace normproof::ref::norm
