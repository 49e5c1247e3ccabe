#pragma once

#include "ref/numeric/square_root.hpp"
#include "ref/ops/row_traversal.hpp"

namespace normproof::ref::norm {

/// The inputs and outputs of group_scaling: x and y [rows, C]; rstd [rows]. A row is one group of C
/// features of one token.
template <class T>
struct GroupScalingRows {
  ops::RowLayout layout;
  const T* x;
  T eps;
  T* y;
  T* rstd;
};

/// The inputs and the output of group_scaling_backward: grad_y, x and grad_x [rows, C]; rstd
/// [rows]. A row is one group of C features of one token.
template <class T>
struct GroupScalingBackwardRows {
  ops::RowLayout layout;
  const T* grad_y;
  const T* x;
  const T* rstd;
  T* grad_x;
};

inline namespace NORMPROOF_ISA {

/// Computes y and rstd of group_scaling for a range of groups.
template <class T>
void compute(const GroupScalingRows<T>& in, ops::IndexRange groups) {
  ops::for_each_row(in.layout, groups, ops::Inputs{in.x}, [&](auto& group, auto x) {
    const T mean_square = group.mean([=](auto d) { return x[d] * x[d]; });
    const T rstd = T(1) / numeric::square_root(T(mean_square + in.eps));
    group.write(in.y, [=](auto d) { return x[d] * rstd; });
    in.rstd[group.index()] = rstd;
  });
}

/// Computes grad_x of group_scaling_backward for a range of groups.
template <class T>
void compute(const GroupScalingBackwardRows<T>& in, ops::IndexRange groups) {
  const auto formula = [&](auto& group, auto x, auto grad_y) {
    const T rstd = in.rstd[group.index()];
    const auto y = [=](auto d) { return x[d] * rstd; };
    const T c = group.mean([=](auto d) { return grad_y[d] * y(d); });
    group.write(in.grad_x, [=](auto d) { return (grad_y[d] - y(d) * c) * rstd; });
  };
  ops::for_each_row(in.layout, groups, ops::Inputs{in.x, in.grad_y}, formula);
}

}  // namespace NORMPROOF_ISA
}  // namespace normproof::ref::norm
