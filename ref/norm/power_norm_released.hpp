#pragma once

#include "ref/norm/power_norm.hpp"

namespace normproof::ref::norm {

template <class T>
struct PowerNormReleasedSaved {
  Tensor<T> quadratic_mean;  ///< [D], of this batch after group scaling; empty in inference
  Tensor<T> rstd;            ///< [D], what produced x_hat
  Tensor<T> batch_rstd;      ///< [D], from quadratic_mean; empty in inference
  Tensor<T> group_rstd;      ///< [N,groups] or [B,T,groups]; empty without group_scaling
};

template <class T>
struct PowerNormReleasedForward {
  Tensor<T> y;
  PowerNormReleasedSaved<T> saved;
  PowerNormState<T> state;  ///< after the forward: running_psi2 and iterations move, nu stays
};

/// PowerNorm as released, statement by statement; every difference from the paper is a switch of
/// model::PowerNormReleasedOptions. The state nu holds the released code's ema_gz where scaled_nu
/// is on.
/// Source    the released code's arithmetic; docs/specification/norms.md, last section
/// Computes  x = group_scaling(x) with group_scaling ; quadratic_mean_d = (1/n) sum_V x_id^2 ;
///           batch_rstd = 1 / sqrt(quadratic_mean + eps) ; iteration k = iterations + 1 ;
///           rstd = batch_rstd for k <= warmup_iterations, else 1 / sqrt(running_psi2 + eps) ;
///           running_psi2 = ((k-1)/k) running_psi2 + quadratic_mean / k for k < warmup_iterations
///           with cumulative_warmup_average ; then running_psi2 = alpha_forward running_psi2 +
///           (1 - alpha_forward) quadratic_mean ; x_hat = x rstd ; y = gamma x_hat + beta
///           Inference: rstd from running_psi2; the state stays
/// Shapes    as power_norm
/// Requires  (C1) every extent of x >= 1  (C2) eps, group_eps >= 0, and each squared statistic
///           + its eps > 0  (C3) gamma, beta have extent D or are empty  (C4) values finite, and so
///           small that the statistics stay finite  (C8) valid has the extents of x without D or
///           is empty, and at least one row is valid  (C9) both alphas in [0, 1]
///           (C10) running_psi2, nu [D], finite; running_psi2 >= 0; iterations >= 0
///           (C11) groups >= 1 divides D  (C14) warmup_iterations >= 0
/// Order     docs/specification/determinism.md, R2 and R4
/// Saves     quadratic_mean, rstd, batch_rstd, group_rstd
/// Throws    ContractError
template <numeric::Real T>
PowerNormReleasedForward<T> power_norm_released(const Tensor<T>& x, const Affine<T>& affine,
                                                const Mask& valid, const PowerNormState<T>& state,
                                                const model::PowerNormReleasedOptions& options = {},
                                                model::Mode mode = model::Mode::training);

/// Computes  t = g - 1_R nu x_hat (times 1 - alpha_backward with scaled_nu), R = all rows with
///           pads_in_backward, else the valid ones, m = |R| ; grad_x = t batch_rstd with
///           divide_by_batch_psi, else t rstd ; then the backward of group scaling. With scaled_nu
///           nu = nu + (1/m) sum_R t x_hat, else nu = nu (1 - w Gamma) + w Lambda with Gamma and
///           Lambda over R. Inference: grad_x = g rstd, then group scaling's backward; nu stays
/// Requires  (C5) grad_y has the shape of x  (C6) saved and nu as power_norm_released returned
///           them  (C7) grad_y finite, and so small that its sums stay finite
/// Throws    ContractError
template <numeric::Real T>
PowerNormBackward<T> power_norm_released_backward(
    const Tensor<T>& grad_y, const Tensor<T>& x, const Affine<T>& affine, const Mask& valid,
    const PowerNormReleasedSaved<T>& saved, const Tensor<T>& nu,
    const model::PowerNormReleasedOptions& options = {}, model::Mode mode = model::Mode::training);

}  // namespace normproof::ref::norm
