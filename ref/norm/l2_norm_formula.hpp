#pragma once

#include "ref/ops/row_traversal.hpp"

namespace normproof::ref::norm {

/// Input and output of the sums of squares: x [rows, D]; square [rows].
template <class T>
struct SquaredNorms {
  ops::RowLayout layout;
  const T* x;
  T* square;
};

/// Inputs and output of l2_norm: x, y [rows, D]; reciprocal, the factor r, [rows].
template <class T>
struct L2NormRows {
  ops::RowLayout layout;
  const T* x;
  const T* reciprocal;
  T* y;
};

/// Inputs and outputs of l2_norm_backward: grad_y, x, grad_x [rows, D]; reciprocal and weight, the
/// factors r and w, and e [rows].
template <class T>
struct L2NormBackwardRows {
  ops::RowLayout layout;
  const T* grad_y;
  const T* x;
  const T* reciprocal;
  const T* weight;
  T* grad_x;
  T* e;
};

inline namespace NORMPROOF_ISA {

/// Computes the squared norms of a range of rows.
template <class T>
void compute(const SquaredNorms<T>& in, ops::IndexRange rows) {
  ops::for_rows(in.layout, rows, ops::Inputs{in.x}, [&](auto& row, auto x) {
    in.square[row.index()] = row.sum([=](auto d) { return x[d] * x[d]; });
  });
}

/// Computes the forward for a range of rows.
template <class T>
void compute(const L2NormRows<T>& in, ops::IndexRange rows) {
  ops::for_rows(in.layout, rows, ops::Inputs{in.x}, [&](auto& row, auto x) {
    const T r = in.reciprocal[row.index()];
    row.write(in.y, [=](auto d) { return x[d] * r; });
  });
}

/// Computes the backward for a range of rows.
template <class T>
void compute(const L2NormBackwardRows<T>& in, ops::IndexRange rows) {
  const auto formula = [&](auto& row, auto x, auto grad_y) {
    const T r = in.reciprocal[row.index()], w = in.weight[row.index()];
    const T e = row.sum([=](auto d) { return grad_y[d] * (x[d] * w); });
    row.write(in.grad_x, [=](auto d) { return r * (grad_y[d] - (x[d] * r) * e); });
    in.e[row.index()] = e;
  };
  ops::for_rows(in.layout, rows, ops::Inputs{in.x, in.grad_y}, formula);
}

}  // namespace NORMPROOF_ISA
}  // namespace normproof::ref::norm
