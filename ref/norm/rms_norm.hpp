#pragma once

#include "ref/model/norm_options.hpp"
#include "ref/norm/affine.hpp"

namespace normproof::ref::norm {

template <class T>
struct RMSNormSaved {
  Tensor<T> rstd;  ///< [N] or [B,T]
};

template <class T>
struct RMSNormForward {
  Tensor<T> y;
  RMSNormSaved<T> saved;
};

/// Root-mean-square normalization over the last axis.
/// Source    [ZS19]; docs/specification/norms.md
/// Computes  mean_square_bt = (1/D) sum_d x_btd^2 ; rstd_bt = 1 / sqrt(mean_square_bt + eps) ;
///           x_hat = x rstd ;
///           y = cast(gamma x_hat) + beta, or gamma cast(x_hat) + beta, depending on
///           options.cast_order
/// Shapes    x, y [N,D] or [B,T,D]; gamma, beta [D] or empty (beta is usually empty); rstd [N] or
///           [B,T]
/// Requires  (C1) every extent of x is at least 1
///           (C2) eps >= 0, and mean_square + eps > 0 in each row
///           (C3) gamma and beta have extent D or are empty
///           (C4) all values are finite and small enough that the statistics stay finite
///           (C12) storage is float64 unless T is double
///           (C14) zero_centred_gamma is false; norm_step computes with it
/// Order     docs/specification/determinism.md, rules R2 and R4
/// Error     docs/error_analysis.md, running error
/// Saves     rstd
/// Throws    ContractError
template <numeric::Real T>
RMSNormForward<T> rms_norm(const Tensor<T>& x, const Affine<T>& affine,
                           const model::RMSNormOptions& options = {});

/// Returns the gradients of rms_norm.
/// Source    docs/derivations/norms.md
/// Computes  g = gamma grad_y ; c_bt = (1/D) sum_d g_btd x_hat_btd ; grad_x = (g - x_hat c) rstd ;
///           grad_gamma and grad_beta are computed as in layer_norm_backward. The derivative of a
///           cast counts as 1
/// Requires  (C5) grad_y has the shape of x  (C6) saved has the shape that rms_norm returned
///           (C7) grad_y is finite and small enough that its sums stay finite
/// Throws    ContractError
template <numeric::Real T>
AffineGradients<T> rms_norm_backward(const Tensor<T>& grad_y, const Tensor<T>& x,
                                     const Affine<T>& affine, const RMSNormSaved<T>& saved);

}  // namespace normproof::ref::norm
