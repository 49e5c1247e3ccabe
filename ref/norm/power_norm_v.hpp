#pragma once

#include "ref/model/norm_options.hpp"
#include "ref/norm/affine.hpp"

namespace normproof::ref::norm {

template <class T>
struct PowerNormVState {
  Tensor<T> running_psi2;  ///< [D], 1 at first
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
  PowerNormVState<T> state;  ///< after the step
};

/// PN-V: normalisation by the batch's quadratic mean, with the exact backward.
/// Source    [SYG+20] PN-V; masked form: docs/derivations/norms.md
/// Computes  quadratic_mean_d = (1/n) sum_V x_id^2 ; rstd = 1 / sqrt(quadratic_mean + eps) ;
///           x_hat = x rstd ; y = gamma x_hat + beta ;
///           running_psi2 = running_decay running_psi2 + (1 - running_decay) quadratic_mean.
///           Inference: running_psi2 takes the place of quadratic_mean; the state stays
/// Shapes    x, y [N,D] or [B,T,D]; gamma, beta, statistics, state [D]; valid [N] or [B,T]
/// Requires  (C1) every extent of x >= 1  (C2) eps >= 0, and quadratic_mean + eps > 0 per channel
///           (C3) gamma, beta have extent D or are empty  (C4) values finite, and so small that the
///           statistics stay finite  (C8) valid has the extents of x without D or is empty, and
///           at least one row is valid  (C9) running_decay in [0, 1]  (C10) state [D], finite, >= 0
/// Order     docs/specification/determinism.md, R2 and R4
/// Saves     quadratic_mean, rstd
/// Throws    ContractError
template <numeric::Real T>
PowerNormVForward<T> power_norm_v(const Tensor<T>& x, const Affine<T>& affine, const Mask& valid,
                                  const PowerNormVState<T>& state,
                                  const model::PowerNormVOptions& options = {},
                                  model::Mode mode = model::Mode::training);

/// Computes  c = gamma grad_gamma / n ; grad_x = (g - 1_V x_hat c) rstd ; in inference g rstd. The
///           sum in grad_gamma runs over all rows, for padded outputs depend on rstd too
/// Requires  (C5) grad_y has the shape of x  (C6) saved as power_norm_v returned it
///           (C7) grad_y finite, and so small that its sums stay finite
/// Throws    ContractError
template <numeric::Real T>
AffineGradients<T> power_norm_v_backward(const Tensor<T>& grad_y, const Tensor<T>& x,
                                         const Affine<T>& affine, const Mask& valid,
                                         const PowerNormVSaved<T>& saved,
                                         model::Mode mode = model::Mode::training);

}  // namespace normproof::ref::norm
