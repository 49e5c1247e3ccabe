#pragma once

#include "ref/tensor/tensor.hpp"

/// Softmax and related functions over the last axis. The following holds for all of them:
///
/// Source    docs/specification/activations.md
/// Shapes    x, y, grad_x [..., D] of any rank >= 1; valid: see C3; log_sum_exp returns [...]
/// Requires  (C1) the rank and the extents of x are at least 1
///           (C2) the elements that take part are finite
///           (C3) valid is empty, or its last extent is D and its other extents, right-aligned with
///           those of x, are 1 or equal: [D], [T,D] and [B,1,1,D] fit x [B,H,T,D]
///           (C4) other arguments have the shape of x, or of the result of log_sum_exp
/// Order     rule R2 over the elements that take part, numbered without gaps. So a row with a mask
///           has the same bits as a row that lacks the masked elements. The search for the largest
///           element is exact and does not depend on an order
/// Error     docs/error_analysis.md, section 1: the bound that the scalar type running_error
///           computes
/// Throws    ContractError that names the function, the argument, the index and the expectation
///
/// `valid` is a mask: true means that an element takes part. If it is empty, all elements take
/// part. Elements of x that do not take part are not read and may be infinite or NaN.
namespace normproof::ref::ops {

using tensor::Mask;
using tensor::Tensor;

/// Returns the softmax of each row.
/// Computes  y_i = exp(x_i - m) / sum_j exp(x_j - m), where m is the largest x_j that takes part.
///           If x_i does not take part, y_i = 0. If no element of a row takes part, the row is all
///           0
template <numeric::Real T>
Tensor<T> softmax(const Tensor<T>& x, const Mask& valid = {});

/// Returns the gradient of softmax.
/// Computes  grad_x_i = y_i (grad_y_i - sum_j grad_y_j y_j), or 0 if element i does not take part
/// Requires  (C5) the sum does not overflow
template <numeric::Real T>
Tensor<T> softmax_backward(const Tensor<T>& grad_y, const Tensor<T>& y, const Mask& valid = {});

/// Returns the logarithm of the softmax of each row.
/// Computes  y_i = (x_i - m) - log(sum_j exp(x_j - m)), where m is the largest x_j
template <numeric::Real T>
Tensor<T> log_softmax(const Tensor<T>& x);

/// Returns the gradient of log_softmax.
/// Computes  grad_x_i = grad_y_i - exp(y_i) sum_j grad_y_j
/// Requires  (C5) the sum does not overflow
template <numeric::Real T>
Tensor<T> log_softmax_backward(const Tensor<T>& grad_y, const Tensor<T>& y);

/// Returns the logarithm of the sum of the exponentials of each row.
/// Computes  y = m + log(sum_j exp(x_j - m)), where m is the largest x_j that takes part
/// Requires  (C6) in each row at least one element takes part
template <numeric::Real T>
Tensor<T> log_sum_exp(const Tensor<T>& x, const Mask& valid = {});

/// Returns the gradient of log_sum_exp.
/// Computes  grad_x_i = grad_y softmax(x)_i, or 0 if element i does not take part
template <numeric::Real T>
Tensor<T> log_sum_exp_backward(const Tensor<T>& grad_y, const Tensor<T>& x, const Mask& valid = {});

}  // namespace normproof::ref::ops
