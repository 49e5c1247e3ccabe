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

/// Dynamic tanh: a squashing function in the place of a norm, element by element, without
/// statistics.
/// Source    [ZCHLL25]; docs/specification/norms.md
/// Computes  t = tanh(alpha x) ; y = gamma t + beta
/// Shapes    x, y [N,D] or [B,T,D]; gamma, beta [D] or empty; alpha [1] or empty: options.alpha0
/// Requires  (C1) every extent of x >= 1  (C2) alpha0 finite  (C3) gamma, beta have extent D or are
///           empty, alpha has extent 1 or is empty  (C4) values finite
/// Error     docs/derivations/error_analysis.md, running error; where alpha x overflows, t is its limit
/// Throws    ContractError
template <numeric::Real T>
Tensor<T> dyt(const Tensor<T>& x, const Affine<T>& affine, const Tensor<T>& alpha,
              const model::DyTOptions& options = {});

/// Computes  t = tanh(alpha x), which the forward does not keep ; grad_u = gamma grad_y (1 - t^2) ;
///           grad_x = alpha grad_u ; grad_gamma = sum_bt grad_y t ; grad_beta = sum_bt grad_y ;
///           grad_alpha = sum_d sum_bt grad_u x
/// Requires  (C5) grad_y has the shape of x  (C7) grad_y finite, and so small that its sums stay
///           finite
/// Order     docs/specification/determinism.md, R2
/// Error     1 - t^2 is off by 2^-52 at most, not by some ulps of itself: where |alpha x| is large,
///           few digits of it are left
/// Throws    ContractError
template <numeric::Real T>
DyTGradients<T> dyt_backward(const Tensor<T>& grad_y, const Tensor<T>& x, const Affine<T>& affine,
                             const Tensor<T>& alpha, const model::DyTOptions& options = {});

}  // namespace normproof::ref::norm
