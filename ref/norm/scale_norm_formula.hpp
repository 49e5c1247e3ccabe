#pragma once

#include "ref/numeric/square_root.hpp"
#include "ref/ops/row_traversal.hpp"

namespace normproof::ref::norm {

/// The inputs and outputs of scale_norm: x and y [rows, D]; rnorm [rows].
template <class T>
struct ScaleNormRows {
  ops::RowLayout layout;
  const T* x;
  T gamma;
  T eps;
  T* y;
  T* rnorm;
};

/// The inputs and outputs of scale_norm_backward: grad_y, x and grad_x [rows, D]; rnorm and e
/// [rows].
template <class T>
struct ScaleNormBackwardRows {
  ops::RowLayout layout;
  const T* grad_y;
  const T* x;
  T gamma;
  const T* rnorm;
  T* grad_x;
  T* e;
};

inline namespace NORMPROOF_ISA {

/// Computes y and rnorm of scale_norm for a range of rows.
template <class T>
void compute(const ScaleNormRows<T>& in, ops::IndexRange rows) {
  ops::for_each_row(in.layout, rows, ops::Inputs{in.x}, [&](auto& row, auto x) {
    const T square = row.sum([=](auto d) { return x[d] * x[d]; });
    const T rnorm = T(1) / numeric::square_root(T(square + in.eps));
    const auto u = [=](auto d) { return x[d] * rnorm; };
    row.write(in.y, [=, gamma = in.gamma](auto d) { return gamma * u(d); });
    in.rnorm[row.index()] = rnorm;
  });
}

/// Computes e and grad_x of scale_norm_backward for a range of rows.
template <class T>
void compute(const ScaleNormBackwardRows<T>& in, ops::IndexRange rows) {
  const auto formula = [&](auto& row, auto x, auto grad_y) {
    const T rnorm = in.rnorm[row.index()];
    const auto u = [=](auto d) { return x[d] * rnorm; };
    const T e = row.sum([=](auto d) { return grad_y[d] * u(d); });
    const T scale = in.gamma * rnorm;
    row.write(in.grad_x, [=](auto d) { return scale * (grad_y[d] - u(d) * e); });
    in.e[row.index()] = e;
  };
  ops::for_each_row(in.layout, rows, ops::Inputs{in.x, in.grad_y}, formula);
}

}  // namespace NORMPROOF_ISA
}  // namespace normproof::ref::norm
