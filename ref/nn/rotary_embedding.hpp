#pragma once

#include "ref/model/operation.hpp"
#include "ref/tensor/tensor.hpp"

namespace normproof::ref::nn {

using tensor::Tensor;

/// Rotary position embedding: rotates pairs of features of a token by angles that depend on the
/// token's position. The caller gives the cosines and sines of the angles.
/// Source    [SLP+24]; docs/specification/attention.md
/// Computes  y_a = x_a cos_tp - x_b sin_tp ;
///           y_b = x_b cos_tp + x_a sin_tp for each pair p of row t. The features of a pair are (a,
///           b) = (p, p + P), or (2 p, 2 p + 1) if options.interleaved is true. Features from 2 P
///           on are copied
/// Shapes    x, y [..., T, D]; cos, sin [T, P]
/// Requires  (C1) x has rank 2 or more and extents of at least 1
///           (C2) cos and sin have the same shape [T,P], where P is at least 1 and 2 P at most D
///           (C3) every element is finite
/// Order     docs/specification/determinism.md, rule R4, in the order written
/// Throws    ContractError
template <numeric::Real T>
Tensor<T> rotary_embedding(const Tensor<T>& x, const Tensor<T>& cos, const Tensor<T>& sin,
                           const model::RopeOptions& options = {});

/// Returns the gradient of rotary_embedding: grad_y rotated by the opposite angle.
/// Computes  grad_x_a = grad_y_a cos + grad_y_b sin ; grad_x_b = grad_y_b cos - grad_y_a sin
template <numeric::Real T>
Tensor<T> rotary_embedding_backward(const Tensor<T>& grad_y, const Tensor<T>& cos,
                                    const Tensor<T>& sin, const model::RopeOptions& options = {});

}  // namespace normproof::ref::nn
