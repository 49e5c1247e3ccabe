#pragma once

#include "ref/tensor/tensor.hpp"

/// Elementwise sums and products that overwrite their first argument. The following holds for all
/// of them:
///
/// Source    docs/specification/determinism.md, rule R4: one operation per element, rounded once
/// Throws    ContractError that names both shapes
namespace normproof::ref::ops {

using tensor::Tensor;

/// Adds x to y.
/// Computes  y = y + x
/// Requires  (C1) x and y have the same shape
template <numeric::Real T>
void add_in_place(Tensor<T>& y, const Tensor<T>& x);

/// Multiplies each element of y by factor.
/// Computes  y = y factor
template <numeric::Real T>
void scale_in_place(Tensor<T>& y, const T& factor);

}  // namespace normproof::ref::ops
