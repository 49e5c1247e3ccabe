#pragma once

#include "ref/model/norm_options.hpp"
#include "ref/norm/affine.hpp"

namespace normproof::ref::norm {

template <class T>
struct GroupNormSaved {
  Tensor<T> mean;  ///< [B,groups]
  Tensor<T> rstd;  ///< [B,groups]
};

template <class T>
struct GroupNormForward {
  Tensor<T> y;
  GroupNormSaved<T> saved;
};

/// Group normalization. The elements of one sample and one group of features are normalized by
/// their statistics over the valid tokens. Padded tokens are normalized by the same statistics.
/// Source    [WH18]; mask: docs/derivations/norms.md
/// Computes  a group consists of C = D/groups consecutive features. mean_bj and biased_variance_bj
///           are over the m valid elements of sample b and group j, in ascending order of tokens,
///           then features ;
///           rstd_bj = 1 / sqrt(biased_variance_bj + eps) ; x_hat = (x - mean) rstd ;
///           y = gamma x_hat + beta
/// Shapes    x, y [B,T,D], or [N,D], which counts as [N,1,D]; gamma, beta [D]; mean, rstd
///           [B,groups]; valid [B,T] or [N]
/// Requires  (C1) every extent of x is at least 1  (C2) eps >= 0, and the variance + eps > 0
///           (C3) gamma and beta have extent D or are empty
///           (C4) all values are finite and small enough that the statistics stay finite
///           (C8) valid has the shape of x without D, or is empty, and each sample has a valid
///           token  (C11) groups is at least 1 and divides D
///           (C13) the layout is rows
/// Order     docs/specification/determinism.md, rules R2 (two passes for the variance) and R4
/// Saves     mean, rstd
/// Throws    ContractError
template <numeric::Real T>
GroupNormForward<T> group_norm(const Tensor<T>& x, const Affine<T>& affine, const Mask& valid,
                               const model::GroupNormOptions& options = {});

/// Returns the gradients of group_norm.
/// Computes  a_bj = S(g)/m ; c_bj = S(g x_hat)/m ;
///           grad_x = (g - 1_V (a + x_hat c)) rstd. Here g = gamma grad_y, S is the sum over all
///           elements of sample b and group j, m is the number of valid elements among them, and
///           1_V is 1 for a valid token and 0 for a padded token. grad_gamma and grad_beta are sums
///           over all rows
/// Requires  (C5) grad_y has the shape of x  (C6) saved is what group_norm returned
///           (C7) grad_y is finite and small enough that its sums stay finite
///           (C13) the layout is rows
/// Throws    ContractError
template <numeric::Real T>
AffineGradients<T> group_norm_backward(const Tensor<T>& grad_y, const Tensor<T>& x,
                                       const Affine<T>& affine, const Mask& valid,
                                       const GroupNormSaved<T>& saved,
                                       const model::GroupNormOptions& options = {});

}  // namespace normproof::ref::norm
