#pragma once

#include "ref/model/norm_options.hpp"
#include "ref/norm/affine.hpp"

namespace normproof::ref::norm {

template <class T>
struct PowerNormState {
  Tensor<T> running_psi2;  ///< [D], initially 1; running mean of x^2, without eps
  Tensor<T> nu;            ///< [D], initially 0; refers to the loss without loss scaling
  std::int64_t iterations = 0;
};

template <class T>
struct PowerNormSaved {
  Tensor<T> quadratic_mean;  ///< [D], mean of x^2 in this batch; empty in inference
  Tensor<T> rstd;            ///< [D], the factor that produced x_hat
};

template <class T>
struct PowerNormForward {
  Tensor<T> y;
  PowerNormSaved<T> saved;
  /// The state after the forward. running_psi2 and iterations are updated; nu is not.
  PowerNormState<T> state;
};

/// The gradients, the two means that update the running statistic nu, and nu after the backward.
template <class T>
struct PowerNormBackward {
  AffineGradients<T> gradients;
  Tensor<T> mean_x_hat_squared;  ///< [D], Gamma in the formulas; empty in inference
  Tensor<T> mean_g_x_hat;        ///< [D], Lambda in the formulas; empty in inference
  Tensor<T> nu;                  ///< [D], after the step
};

/// PowerNorm as in the paper. It normalizes by the running quadratic mean.
/// Source    [SYG+20] Algorithm 2; docs/specification/norms.md
/// Computes  quadratic_mean_d = (1/n) sum_V x_id^2 over the n valid rows V ;
///           rstd = 1 / sqrt(running_psi2 + eps) with the running_psi2 before this step. In the
///           first warmup_iterations iterations, the batch's quadratic_mean replaces running_psi2 ;
///           x_hat = x rstd ; y = gamma x_hat + beta ;
///           running_psi2 = alpha_forward running_psi2 + (1 - alpha_forward) quadratic_mean. In
///           inference running_psi2 of the state is used, and the state does not change
/// Shapes    x, y [N,D] or [B,T,D]; gamma, beta, statistics, state [D]; valid [N] or [B,T]
/// Requires  (C1) every extent of x is at least 1
///           (C2) eps >= 0, and the squared statistic + eps > 0
///           (C3) gamma and beta have extent D or are empty
///           (C4) all values are finite and small enough that the statistics stay finite
///           (C8) valid has the shape of x without D, or is empty, and at least one row is valid
///           (C9) both alphas are in [0, 1]
///           (C10) running_psi2 and nu are [D] and finite; running_psi2 >= 0; iterations >= 0
///           (C14) warmup_iterations >= 0
/// Order     docs/specification/determinism.md, rules R2 and R4
/// Saves     quadratic_mean, rstd
/// Throws    ContractError
template <numeric::Real T>
PowerNormForward<T> power_norm(const Tensor<T>& x, const Affine<T>& affine, const Mask& valid,
                               const PowerNormState<T>& state,
                               const model::PowerNormOptions& options = {},
                               model::Mode mode = model::Mode::training);

/// Returns the approximate gradients of the paper, and nu after the step. The result is affine in
/// grad_y but not a Jacobian-vector product, because nu depends on earlier steps.
/// Computes  grad_x = (g - 1_V nu x_hat) rstd with the nu before this step, where g = gamma grad_y
///           and 1_V is 1 in a valid row and 0 in a padded row ;
///           Gamma = (1/n) sum_V x_hat^2 ; Lambda = (1/n) sum_V g x_hat ; w = 1 - alpha_backward ;
///           nu = nu (1 - w Gamma) + w Lambda. In inference grad_x = g rstd, and nu does not change
/// Requires  (C5) grad_y has the shape of x  (C6) saved and nu are what power_norm returned
///           (C7) grad_y is finite and small enough that its sums stay finite
/// Throws    ContractError
template <numeric::Real T>
PowerNormBackward<T> power_norm_backward(const Tensor<T>& grad_y, const Tensor<T>& x,
                                         const Affine<T>& affine, const Mask& valid,
                                         const PowerNormSaved<T>& saved, const Tensor<T>& nu,
                                         const model::PowerNormOptions& options = {},
                                         model::Mode mode = model::Mode::training);

}  // namespace normproof::ref::norm
