#pragma once

#include "ref/model/operation.hpp"
#include "ref/tensor/tensor.hpp"

/// Scaling of each row to Euclidean length 1 (L2 normalization).
namespace normproof::ref::norm {

using tensor::Tensor;

/// Divides each row by its Euclidean norm n_i = sqrt(sum_d x_id^2).
///
/// Source    docs/specification/norms.md
/// Computes  y = x r, where r depends on options.eps_placement:
///             inside:  r = 1 / sqrt(sum_d x_id^2 + eps)
///             outside: r = 1 / (n + eps)
///             floor:   r = 1 / max(n, eps)
/// Shapes    x, y [..., D] of any rank >= 1
/// Requires  (C1) every extent of x is at least 1
///           (C2) eps >= 0, and r is finite in each row: a row of zeros needs eps > 0
///           (C4) all values are finite and small enough that the squared norm stays finite
/// Order     docs/specification/determinism.md, R2 and R4
/// Error     docs/error_analysis.md, section 1: the bound that the scalar type running_error
///           computes
/// Throws    ContractError
template <numeric::Real T>
Tensor<T> l2_norm(const Tensor<T>& x, const model::L2NormOptions& options = {});

/// Returns the gradient of l2_norm.
/// Computes  grad_x = r (grad_y - (x r) e), where r is as in l2_norm, e = sum_d grad_y_d (x_d w),
///           and w depends on options.eps_placement:
///             inside:  w = r
///             outside: w = 1 / n, or 0 if n = 0
///             floor:   w = r if n >= eps, otherwise 0
/// Requires  the conditions of l2_norm on x and eps, and
///           (C5) grad_y has the shape of x
///           (C7) grad_y is finite and small enough that e stays finite
/// Throws    ContractError
template <numeric::Real T>
Tensor<T> l2_norm_backward(const Tensor<T>& grad_y, const Tensor<T>& x,
                           const model::L2NormOptions& options = {});

}  // namespace normproof::ref::norm
