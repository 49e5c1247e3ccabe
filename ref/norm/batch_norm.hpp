#pragma once

#include "ref/model/norm_options.hpp"
#include "ref/norm/affine.hpp"

namespace normproof::ref::norm {

template <class T>
struct BatchNormState {
  Tensor<T> running_mean;      ///< [D], initially 0
  Tensor<T> running_variance;  ///< [D], initially 1
};

template <class T>
struct BatchNormSaved {
  Tensor<T> mean;             ///< [D]; in inference, the running mean
  Tensor<T> biased_variance;  ///< [D]; empty in inference
  Tensor<T> rstd;             ///< [D]
};

template <class T>
struct BatchNormForward {
  Tensor<T> y;
  BatchNormSaved<T> saved;
  BatchNormState<T> state;  ///< the state after the step
};

/// Batch normalization. Each channel is normalized by its mean and variance over the valid rows.
/// Padded rows are normalized by the same statistics.
/// Source    [IS15] Algorithms 1 and 2; mask and state: docs/specification/norms.md
/// Computes  mean_d = (1/n) sum_V x_id ; biased_variance_d = (1/n) sum_V (x_id - mean_d)^2 ;
///           rstd = 1 / sqrt(biased_variance + eps) ; x_hat = (x - mean) rstd ;
///           y = gamma x_hat + beta ;
///           running_mean = running_decay running_mean + (1 - running_decay) mean ;
///           running_variance is updated in the same way from biased_variance, which is first
///           multiplied by n/(n-1) if unbiased_running_variance is set. V is the set of the n valid
///           rows. In inference the running statistics replace the batch statistics, and the state
///           does not change
/// Shapes    x, y [N,D] or [B,T,D]; gamma, beta, statistics, state [D]; valid [N] or [B,T]
/// Requires  (C1) every extent of x is at least 1
///           (C2) eps >= 0, and the variance + eps > 0 in each channel
///           (C3) gamma and beta have extent D or are empty
///           (C4) all values are finite and small enough that the statistics stay finite
///           (C8) valid has the shape of x without D, or is empty; at least one row is valid, or
///           two with unbiased_running_variance  (C9) running_decay is in [0, 1]
///           (C10) the state is [D] and finite, and running_variance >= 0
///           (C13) the layout is rows
/// Order     docs/specification/determinism.md, rules R2 (two passes for the variance) and R4
/// Error     docs/error_analysis.md, running error
/// Saves     mean, biased_variance, rstd
/// Throws    ContractError
template <numeric::Real T>
BatchNormForward<T> batch_norm(const Tensor<T>& x, const Affine<T>& affine, const Mask& valid,
                               const BatchNormState<T>& state,
                               const model::BatchNormOptions& options = {},
                               model::Mode mode = model::Mode::training);

/// Returns the gradients of batch_norm.
/// Source    docs/derivations/norms.md
/// Computes  a = gamma grad_beta / n ; c = gamma grad_gamma / n ;
///           grad_x = (g - 1_V (a + x_hat c)) rstd. Here n is the number of valid rows, g = gamma
///           grad_y, and 1_V is 1 in a valid row and 0 in a padded row. In inference grad_x = g
///           rstd
/// Requires  (C5) grad_y has the shape of x  (C6) saved is what batch_norm returned
///           (C7) grad_y is finite and small enough that its sums stay finite
/// Throws    ContractError
template <numeric::Real T>
AffineGradients<T> batch_norm_backward(const Tensor<T>& grad_y, const Tensor<T>& x,
                                       const Affine<T>& affine, const Mask& valid,
                                       const BatchNormSaved<T>& saved,
                                       model::Mode mode = model::Mode::training);

}  // namespace normproof::ref::norm
