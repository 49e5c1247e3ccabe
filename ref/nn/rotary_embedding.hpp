#pragma once

#include "ref/model/operation.hpp"
#include "ref/tensor/tensor.hpp"

namespace normproof::ref::nn {

using tensor::Tensor;

/// Rotary position embedding: pairs of features turned by the angle of their token, whose cosine
/// and sine are given.
/// Source    [SLP+24]; docs/specification/attention.md
/// Computes  y_a = x_a cos_tp - x_b sin_tp ; y_b = x_b cos_tp + x_a sin_tp for each pair p of the
///           row t: (a, b) = (p, p + P), or, where pairs are interleaved, (2 p, 2 p + 1).
///           Features from 2 P on are copied
/// Shapes    x, y [..., T, D]; cos, sin [T, P]
/// Requires  (C1) rank of x at least 2, extents at least 1  (C2) cos and sin have one shape [T,P],
///           P at least 1 and 2 P at most D  (C3) every element is finite
/// Order     docs/specification/determinism.md, R4 as written
/// Throws    ContractError
template <numeric::Real T>
Tensor<T> rotary_embedding(const Tensor<T>& x, const Tensor<T>& cos, const Tensor<T>& sin,
                           const model::RopeOptions& options = {});

/// Computes  the rotation of grad_y by the opposite angle: grad_x_a = grad_y_a cos + grad_y_b sin ;
///           grad_x_b = grad_y_b cos - grad_y_a sin
template <numeric::Real T>
Tensor<T> rotary_embedding_backward(const Tensor<T>& grad_y, const Tensor<T>& cos,
                                    const Tensor<T>& sin, const model::RopeOptions& options = {});

}  // namespace normproof::ref::nn
