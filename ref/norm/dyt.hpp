#pragma once

#include "ref/model/norm_options.hpp"
#include "ref/norm/affine.hpp"

namespace normproof::ref::norm {

template <class T>
struct DyTGradients {
  Tensor<T> grad_x;
  Tensor<T> grad_gamma;  ///< [D]
  Tensor<T> grad_beta;   ///< [D]
  Tensor<T> grad_alpha;  ///< [1]
};

/// Dynamic tanh (DyT): an elementwise function that replaces a norm. It needs no statistics.
/// Source    [ZCHLL25]; docs/specification/norms.md
/// Computes  t = tanh(alpha x) ; y = gamma t + beta
/// Shapes    x, y [N,D] or [B,T,D]; gamma, beta [D] or empty; alpha [1]. If alpha is empty,
///           options.alpha0 is used
/// Requires  (C1) every extent of x is at least 1  (C2) alpha0 is finite
///           (C3) gamma and beta have extent D or are empty; alpha has extent 1 or is empty
///           (C4) all values are finite
/// Error     docs/error_analysis.md, running error; if alpha x overflows, t is 1 or -1
/// Throws    ContractError
template <numeric::Real T>
Tensor<T> dyt(const Tensor<T>& x, const Affine<T>& affine, const Tensor<T>& alpha,
              const model::DyTOptions& options = {});

/// Returns the gradients of dyt.
/// Computes  t = tanh(alpha x), which is computed again because the forward does not save it ;
///           grad_u = gamma grad_y (1 - t^2) ; grad_x = alpha grad_u ;
///           grad_gamma = sum_bt grad_y t ; grad_beta = sum_bt grad_y ;
///           grad_alpha = sum_d sum_bt grad_u x
/// Requires  (C5) grad_y has the shape of x
///           (C7) grad_y is finite and small enough that its sums stay finite
/// Order     docs/specification/determinism.md, rule R2
/// Error     the absolute error of 1 - t^2 is at most 2^-52. So few of its digits are correct if
///           |alpha x| is large
/// Throws    ContractError
template <numeric::Real T>
DyTGradients<T> dyt_backward(const Tensor<T>& grad_y, const Tensor<T>& x, const Affine<T>& affine,
                             const Tensor<T>& alpha, const model::DyTOptions& options = {});

}  // namespace normproof::ref::norm
