#pragma once

#include "ref/tensor/tensor.hpp"

/// Sums and products element by element, in place. Common to all of them:
///
/// Source    docs/specification/determinism.md, R4: one operation an element, rounded once
/// Throws    ContractError naming both shapes
namespace normproof::ref::ops {

using tensor::Tensor;

/// Computes  y = y + x
/// Requires  (C1) x and y have one shape
template <numeric::Real T>
void add_in_place(Tensor<T>& y, const Tensor<T>& x);

/// Computes  y = y factor
template <numeric::Real T>
void scale_in_place(Tensor<T>& y, const T& factor);

}  // namespace normproof::ref::ops
