#pragma once

#include "ref/norm/batch_norm.hpp"

namespace normproof::ref::norm {

template <class T>
struct BatchRenormSaved {
  Tensor<T> mean;             ///< [D]; in inference, the running mean
  Tensor<T> biased_variance;  ///< [D]; empty in inference
  Tensor<T> rstd;             ///< [D]
  Tensor<T> r;                ///< [D]; empty in inference
  Tensor<T> d;                ///< [D]; empty in inference
};

template <class T>
struct BatchRenormForward {
  Tensor<T> y;
  BatchRenormSaved<T> saved;
  BatchNormState<T> state;  ///< the state after the step
};

/// Batch renormalization. It normalizes by the statistics of the batch, then corrects the result
/// toward the running statistics.
/// Source    [Iof17]; docs/specification/norms.md
/// Computes  z = (x - mean) rstd as in batch_norm ; s = sqrt(running_variance + eps) ;
///           r = clamp((1/rstd)/s, 1/r_max, r_max) ;
///           d = clamp((mean - running_mean)/s, -d_max, d_max) ; x_hat = z r + d ;
///           y = gamma x_hat + beta. The running statistics are updated as in batch_norm, with the
///           biased variance. In inference it computes what batch_norm computes
/// Shapes    x, y [N,D] or [B,T,D]; gamma, beta, statistics, state [D]; valid [N] or [B,T]
/// Requires  (C1) every extent of x is at least 1
///           (C2) eps >= 0, and in each channel both the variance + eps and running_variance + eps
///           are > 0  (C3) gamma and beta have extent D or are empty
///           (C4) all values are finite and small enough that the statistics stay finite
///           (C8) valid has the shape of x without D, or is empty, and at least one row is valid
///           (C9) running_decay is in [0, 1]
///           (C10) the state is [D] and finite, and running_variance >= 0
///           (C13) r_max >= 1 and d_max >= 0
/// Order     docs/specification/determinism.md, rules R2 and R4
/// Saves     mean, biased_variance, rstd, r, d
/// Throws    ContractError
template <numeric::Real T>
BatchRenormForward<T> batch_renorm(const Tensor<T>& x, const Affine<T>& affine, const Mask& valid,
                                   const BatchNormState<T>& state,
                                   const model::BatchRenormOptions& options = {},
                                   model::Mode mode = model::Mode::training);

/// Returns the gradients of batch_renorm. The factors r and d count as constants.
/// Computes  a = gamma grad_beta / n ; c = gamma S(grad_y z) / n ;
///           grad_x = (r rstd) (g - 1_V (a + z c)) ;
///           grad_gamma = S(grad_y x_hat), where S is the sum over all rows, n is the number of
///           valid rows, and z, g and 1_V are as in batch_renorm and batch_norm_backward
/// Requires  (C5) grad_y has the shape of x  (C6) saved is what batch_renorm returned
///           (C7) grad_y is finite and small enough that its sums stay finite
/// Throws    ContractError
template <numeric::Real T>
AffineGradients<T> batch_renorm_backward(const Tensor<T>& grad_y, const Tensor<T>& x,
                                         const Affine<T>& affine, const Mask& valid,
                                         const BatchRenormSaved<T>& saved,
                                         model::Mode mode = model::Mode::training);

}  // namespace normproof::ref::norm
