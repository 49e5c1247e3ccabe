#pragma once

#include "ref/tensor/tensor.hpp"

/// Softmax and its kin over the last axis. Common to all of them:
///
/// Source    docs/specification/activations.md
/// Shapes    x, y, grad_x [..., D] of any rank >= 1; valid: see below; log_sum_exp gives [...]
/// Requires  (C1) rank and extents of x at least 1  (C2) elements that take part are finite
///           (C3) valid is empty, or its last extent is D and its others, right-aligned with those
///           of x, are 1 or the same: [D], [T,D] and [B,1,1,D] serve x [B,H,T,D]
///           (C4) other arguments have the shape of x, or of the result of log_sum_exp
/// Order     rule R2 over the elements that take part, numbered without gaps: a masked row has the
///           bits of the row without them. The largest element is exact and without order
/// Error     docs/derivations/error_analysis.md, section 1: the scalar running_error
/// Throws    ContractError naming function, argument, index and expectation
///
/// valid: true = the element takes part; an empty mask says that all do. What x holds elsewhere,
/// infinities and NaN included, is not read.
namespace normproof::ref::ops {

using tensor::Mask;
using tensor::Tensor;

/// Computes  y_i = exp(x_i - m) / sum_j exp(x_j - m), m the largest x_j that takes part; 0 where an
///           element does not take part, and for all of a row in which none does
template <numeric::Real T>
Tensor<T> softmax(const Tensor<T>& x, const Mask& valid = {});

/// Computes  grad_x_i = y_i (grad_y_i - sum_j grad_y_j y_j), 0 where an element does not take part
/// Requires  (C5) the sum does not overflow
template <numeric::Real T>
Tensor<T> softmax_backward(const Tensor<T>& grad_y, const Tensor<T>& y, const Mask& valid = {});

/// Computes  y_i = (x_i - m) - log(sum_j exp(x_j - m))
template <numeric::Real T>
Tensor<T> log_softmax(const Tensor<T>& x);

/// Computes  grad_x_i = grad_y_i - exp(y_i) sum_j grad_y_j
/// Requires  (C5) the sum does not overflow
template <numeric::Real T>
Tensor<T> log_softmax_backward(const Tensor<T>& grad_y, const Tensor<T>& y);

/// Computes  y = m + log(sum_j exp(x_j - m))
/// Requires  (C6) in each row an element takes part
template <numeric::Real T>
Tensor<T> log_sum_exp(const Tensor<T>& x, const Mask& valid = {});

/// Computes  grad_x_i = grad_y softmax(x)_i, 0 where an element does not take part
template <numeric::Real T>
Tensor<T> log_sum_exp_backward(const Tensor<T>& grad_y, const Tensor<T>& x, const Mask& valid = {});

}  // namespace normproof::ref::ops
