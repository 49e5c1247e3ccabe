#pragma once

#include "ref/model/norm_options.hpp"
#include "ref/norm/affine.hpp"

namespace normproof::ref::norm {

template <class T>
struct LayerNormSaved {
  Tensor<T> mean;  ///< [N] or [B,T]
  Tensor<T> rstd;  ///< [N] or [B,T]
};

template <class T>
struct LayerNormForward {
  Tensor<T> y;
  LayerNormSaved<T> saved;
};

/// Layer normalization over the last axis.
/// Source    [BKH16]; docs/specification/norms.md
/// Computes  mean_bt = (1/D) sum_d x_btd ; biased_variance_bt = (1/D) sum_d (x_btd - mean_bt)^2 ;
///           rstd_bt = 1 / sqrt(biased_variance_bt + eps) ; x_hat_btd = (x_btd - mean_bt) rstd_bt ;
///           y_btd = gamma_d x_hat_btd + beta_d
/// Shapes    x, y [N,D] or [B,T,D]; gamma, beta [D]; mean, rstd [N] or [B,T]
/// Requires  (C1) every extent of x is at least 1
///           (C2) eps >= 0, and biased_variance + eps > 0 in each row
///           (C3) gamma and beta have extent D or are empty
///           (C4) all values are finite and small enough that the statistics stay finite
///           (C14) zero_centred_gamma is false; norm_step computes with it
/// Order     docs/specification/determinism.md, rule R2 for both sums (two passes), rule R4 for the
///           rest
/// Error     docs/error_analysis.md, section 3
/// Saves     mean, rstd
/// Throws    ContractError
template <numeric::Real T>
LayerNormForward<T> layer_norm(const Tensor<T>& x, const Affine<T>& affine,
                               const model::LayerNormOptions& options = {});

/// Returns the gradients of layer_norm.
/// Source    docs/derivations/norms.md
/// Computes  g = gamma grad_y ; a_bt = (1/D) sum_d g_btd ; c_bt = (1/D) sum_d g_btd x_hat_btd ;
///           grad_x = ((g - a) - x_hat c) rstd ; grad_gamma_d = sum_bt grad_y_btd x_hat_btd ;
///           grad_beta_d = sum_bt grad_y_btd
/// Shapes    grad_y, x, grad_x [N,D] or [B,T,D]; grad_gamma, grad_beta [D]
/// Requires  (C5) grad_y has the shape of x  (C6) saved has the shapes that layer_norm returned
///           (C7) grad_y is finite and small enough that its sums stay finite
/// Order     rule R2 for all sums, rule R4 for the rest
/// Throws    ContractError
template <numeric::Real T>
AffineGradients<T> layer_norm_backward(const Tensor<T>& grad_y, const Tensor<T>& x,
                                       const Affine<T>& affine, const LayerNormSaved<T>& saved);

}  // namespace normproof::ref::norm
