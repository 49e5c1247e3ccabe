#pragma once

#include "ref/ops/row_traversal.hpp"

namespace normproof::ref::norm {

/// The arguments of the loop that computes the sums of squares: x [rows, D]; square [rows].
template <class T>
struct SquaredNorms {
  ops::RowLayout layout;
  const T* x;
  T* square;
};

/// The inputs and the output of l2_norm: x and y [rows, D]; reciprocal [rows], the factor r of each
/// row.
template <class T>
struct L2NormRows {
  ops::RowLayout layout;
  const T* x;
  const T* reciprocal;
  T* y;
};

/// The inputs and outputs of l2_norm_backward: grad_y, x and grad_x [rows, D]; e [rows]; reciprocal
/// and weight [rows], the factors r and w of each row.
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

/// Computes the sum of squares of each row in the range.
template <class T>
void compute(const SquaredNorms<T>& in, ops::IndexRange rows) {
  ops::for_each_row(in.layout, rows, ops::Inputs{in.x}, [&](auto& row, auto x) {
    in.square[row.index()] = row.sum([=](auto d) { return x[d] * x[d]; });
  });
}

/// Computes y, the output of l2_norm, for a range of rows.
template <class T>
void compute(const L2NormRows<T>& in, ops::IndexRange rows) {
  ops::for_each_row(in.layout, rows, ops::Inputs{in.x}, [&](auto& row, auto x) {
    const T r = in.reciprocal[row.index()];
    row.write(in.y, [=](auto d) { return x[d] * r; });
  });
}

/// Computes e and grad_x of l2_norm_backward for a range of rows.
template <class T>
void compute(const L2NormBackwardRows<T>& in, ops::IndexRange rows) {
  const auto formula = [&](auto& row, auto x, auto grad_y) {
    const T r = in.reciprocal[row.index()], w = in.weight[row.index()];
    const T e = row.sum([=](auto d) { return grad_y[d] * (x[d] * w); });
    row.write(in.grad_x, [=](auto d) { return r * (grad_y[d] - (x[d] * r) * e); });
    in.e[row.index()] = e;
  };
  ops::for_each_row(in.layout, rows, ops::Inputs{in.x, in.grad_y}, formula);
}

}  // namespace NORMPROOF_ISA
}  // namespace normproof::ref::norm
