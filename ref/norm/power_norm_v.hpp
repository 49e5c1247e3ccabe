#pragma once

#include "ref/model/norm_options.hpp"
#include "ref/norm/affine.hpp"

namespace normproof::ref::norm {

template <class T>
struct PowerNormVState {
  Tensor<T> running_psi2;  ///< [D], initially 1
};

template <class T>
struct PowerNormVSaved {
  Tensor<T> quadratic_mean;  ///< [D]; empty in inference
  Tensor<T> rstd;            ///< [D]
};

template <class T>
struct PowerNormVForward {
  Tensor<T> y;
  PowerNormVSaved<T> saved;
  PowerNormVState<T> state;  ///< the state after the step
};

/// PowerNorm-V (PN-V of the paper). It normalizes by the quadratic mean of the batch and has an
/// exact backward.
/// Source    [SYG+20] PN-V; masked form: docs/derivations/norms.md
/// Computes  quadratic_mean_d = (1/n) sum_V x_id^2 over the n valid rows V ;
///           rstd = 1 / sqrt(quadratic_mean + eps) ; x_hat = x rstd ; y = gamma x_hat + beta ;
///           running_psi2 = running_decay running_psi2 + (1 - running_decay) quadratic_mean. In
///           inference running_psi2 replaces quadratic_mean, and the state does not change
/// Shapes    x, y [N,D] or [B,T,D]; gamma, beta, statistics, state [D]; valid [N] or [B,T]
/// Requires  (C1) every extent of x is at least 1
///           (C2) eps >= 0, and quadratic_mean + eps > 0 in each channel
///           (C3) gamma and beta have extent D or are empty
///           (C4) all values are finite and small enough that the statistics stay finite
///           (C8) valid has the shape of x without D, or is empty, and at least one row is valid
///           (C9) running_decay is in [0, 1]  (C10) the state is [D], finite and >= 0
/// Order     docs/specification/determinism.md, rules R2 and R4
/// Saves     quadratic_mean, rstd
/// Throws    ContractError
template <numeric::Real T>
PowerNormVForward<T> power_norm_v(const Tensor<T>& x, const Affine<T>& affine, const Mask& valid,
                                  const PowerNormVState<T>& state,
                                  const model::PowerNormVOptions& options = {},
                                  model::Mode mode = model::Mode::training);

/// Returns the gradients of power_norm_v.
/// Computes  c = gamma grad_gamma / n ;
///           grad_x = (g - 1_V x_hat c) rstd. Here n is the number of valid rows, g = gamma grad_y,
///           and 1_V is 1 in a valid row and 0 in a padded row. The sum in grad_gamma runs over all
///           rows, because padded outputs depend on rstd too. In inference grad_x = g rstd
/// Requires  (C5) grad_y has the shape of x  (C6) saved is what power_norm_v returned
///           (C7) grad_y is finite and small enough that its sums stay finite
/// Throws    ContractError
template <numeric::Real T>
AffineGradients<T> power_norm_v_backward(const Tensor<T>& grad_y, const Tensor<T>& x,
                                         const Affine<T>& affine, const Mask& valid,
                                         const PowerNormVSaved<T>& saved,
                                         model::Mode mode = model::Mode::training);

}  // namespace normproof::ref::norm
