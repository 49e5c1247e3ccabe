#pragma once

#include "ref/norm/power_norm.hpp"

namespace normproof::ref::norm {

template <class T>
struct PowerNormReleasedSaved {
  Tensor<T> quadratic_mean;  ///< [D], mean of x^2 after group scaling; empty in inference
  Tensor<T> rstd;            ///< [D], the factor that produced x_hat
  Tensor<T> batch_rstd;      ///< [D], computed from quadratic_mean; empty in inference
  Tensor<T> group_rstd;      ///< [N,groups] or [B,T,groups]; empty without group_scaling
};

template <class T>
struct PowerNormReleasedForward {
  Tensor<T> y;
  PowerNormReleasedSaved<T> saved;
  /// The state after the forward. running_psi2 and iterations are updated; nu is not.
  PowerNormState<T> state;
};

/// PowerNorm as in the authors' released code, statement by statement. Each difference from the
/// paper is a switch in model::PowerNormReleasedOptions. If scaled_nu is set, the state nu holds
/// the variable ema_gz of the released code.
/// Source    the arithmetic of the released code; docs/specification/norms.md, last section
/// Computes  x = group_scaling(x) if group_scaling is set ;
///           quadratic_mean_d = (1/n) sum_V x_id^2 over the n valid rows V ;
///           batch_rstd = 1 / sqrt(quadratic_mean + eps) ; iteration k = iterations + 1 ;
///           rstd = batch_rstd for k <= warmup_iterations, else 1 / sqrt(running_psi2 + eps) ;
///           if cumulative_warmup_average is set and k < warmup_iterations, running_psi2 =
///           ((k-1)/k) running_psi2 + quadratic_mean / k ;
///           then running_psi2 = alpha_forward running_psi2 + (1 - alpha_forward) quadratic_mean ;
///           x_hat = x rstd ; y = gamma x_hat + beta. In inference rstd is computed from
///           running_psi2, and the state does not change
/// Shapes    as in power_norm
/// Requires  (C1) every extent of x is at least 1
///           (C2) eps and group_eps are >= 0, and each squared statistic + its eps > 0
///           (C3) gamma and beta have extent D or are empty
///           (C4) all values are finite and small enough that the statistics stay finite
///           (C8) valid has the shape of x without D, or is empty, and at least one row is valid
///           (C9) both alphas are in [0, 1]
///           (C10) running_psi2 and nu are [D] and finite; running_psi2 >= 0; iterations >= 0
///           (C11) groups is at least 1 and divides D  (C14) warmup_iterations >= 0
/// Order     docs/specification/determinism.md, rules R2 and R4
/// Saves     quadratic_mean, rstd, batch_rstd, group_rstd
/// Throws    ContractError
template <numeric::Real T>
PowerNormReleasedForward<T> power_norm_released(const Tensor<T>& x, const Affine<T>& affine,
                                                const Mask& valid, const PowerNormState<T>& state,
                                                const model::PowerNormReleasedOptions& options = {},
                                                model::Mode mode = model::Mode::training);

/// Returns the gradients of the released code, and nu after the step.
/// Computes  R is the set of all rows if pads_in_backward is set, otherwise of the valid rows ; m =
///           |R| ;
///           t = g - 1_R nu x_hat, where g = gamma grad_y and 1_R is 1 in the rows of R and 0 in
///           the other rows. If scaled_nu is set, nu is multiplied by 1 - alpha_backward here ;
///           grad_x = t batch_rstd if divide_by_batch_psi is set, else t rstd. The backward of
///           group scaling follows ;
///           nu = nu + (1/m) sum_R t x_hat if scaled_nu is set, else nu (1 - w Gamma) + w Lambda as
///           in power_norm_backward, but with means over the rows of R. In inference grad_x = g
///           rstd, followed by the backward of group scaling, and nu does not change
/// Requires  (C5) grad_y has the shape of x
///           (C6) saved and nu are what power_norm_released returned
///           (C7) grad_y is finite and small enough that its sums stay finite
/// Throws    ContractError
template <numeric::Real T>
PowerNormBackward<T> power_norm_released_backward(
    const Tensor<T>& grad_y, const Tensor<T>& x, const Affine<T>& affine, const Mask& valid,
    const PowerNormReleasedSaved<T>& saved, const Tensor<T>& nu,
    const model::PowerNormReleasedOptions& options = {}, model::Mode mode = model::Mode::training);

}  // namespace normproof::ref::norm
