#pragma once

#include "ref/tensor/tensor.hpp"

namespace normproof::ref::ops {

/// Returns the sum of all elements of x. The function is not called `sum`, because
/// argument-dependent lookup would find xt::sum first for a temporary.
/// Source    docs/specification/determinism.md, rule R2: 32 lanes, then a tree, both along rows and
///           along columns
/// Computes  sum_i x_i over all elements in row-major order
/// Shapes    x of any shape
/// Requires  (C1) x has at least one element
/// Error     (ceil(n/32) + 4) u sum_i |x_i| (1 + O(u)) for n elements; docs/error_analysis.md,
///           section 2
template <numeric::Real T>
T sum_elements(const tensor::Tensor<T>& x);

/// Returns the sum of each row.
/// Computes  y_i = sum_j x_ij
/// Shapes    x [N,D]; y [N]
/// Requires  (C1) x has rank 2 and extents of at least 1
template <numeric::Real T>
tensor::Tensor<T> sum_rows(const tensor::Tensor<T>& x);

/// Returns the sum of each column of x over all rows. All axes before the last one count as rows.
/// Computes  y_j = sum_i x_ij
/// Shapes    x [..., D]; y [D]
/// Requires  (C1) x has rank 2 or more and extents of at least 1
template <numeric::Real T>
tensor::Tensor<T> sum_columns(const tensor::Tensor<T>& x);

/// Returns the dot product of each row of x with the same row of w.
/// Computes  y_i = sum_j x_ij w_ij, each product rounded before it is added
/// Shapes    x, w [N,D]; y [N]
/// Requires  (C1) x has rank 2 and extents of at least 1  (C2) w has the shape of x
template <numeric::Real T>
tensor::Tensor<T> dot_rows(const tensor::Tensor<T>& x, const tensor::Tensor<T>& w);

}  // namespace normproof::ref::ops
