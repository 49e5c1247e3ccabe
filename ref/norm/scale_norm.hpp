#pragma once

#include "ref/model/norm_options.hpp"
#include "ref/norm/affine.hpp"

namespace normproof::ref::norm {

template <class T>
struct ScaleNormForward {
  Tensor<T> y;
  Tensor<T> rnorm;  ///< [N] or [B,T]
};

template <class T>
struct ScaleNormGradients {
  Tensor<T> grad_x;
  Tensor<T> grad_gamma;  ///< [1]
};

/// Scales each row to the Euclidean length gamma.
/// Source    [NS19] with eps inside the root; docs/specification/norms.md
/// Computes  rnorm_bt = 1 / sqrt(sum_d x_btd^2 + eps) ; u = x rnorm ; y = gamma u
/// Shapes    x, y [N,D] or [B,T,D]; gamma [1], or empty, which stands for 1; rnorm [N] or [B,T]
/// Requires  (C1) every extent of x is at least 1
///           (C2) eps >= 0, and the squared norm + eps > 0 in each row
///           (C3) gamma has extent 1 or is empty
///           (C4) all values are finite and small enough that the squared norm stays finite
/// Order     docs/specification/determinism.md, rules R2 and R4
/// Saves     rnorm
/// Throws    ContractError
template <numeric::Real T>
ScaleNormForward<T> scale_norm(const Tensor<T>& x, const Tensor<T>& gamma,
                               const model::ScaleNormOptions& options = {});

/// Returns the gradients of scale_norm, where u = x rnorm is the row scaled to length 1.
/// Computes  e_bt = sum_d grad_y_btd u_btd ; grad_x = (gamma rnorm) (grad_y - u e) ;
///           grad_gamma = sum_bt e_bt
/// Requires  (C5) grad_y has the shape of x  (C6) rnorm is what scale_norm returned
///           (C7) grad_y is finite and small enough that its sums stay finite
/// Throws    ContractError
template <numeric::Real T>
ScaleNormGradients<T> scale_norm_backward(const Tensor<T>& grad_y, const Tensor<T>& x,
                                          const Tensor<T>& gamma, const Tensor<T>& rnorm);

}  // namespace normproof::ref::norm
