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

/// Group normalisation: statistics over the valid tokens of one sample and one group of features;
/// padded tokens are normalised with the same statistics.
/// Source    [WH18]; mask: docs/derivations/norms.md
/// Computes  over the m elements of sample b and group j (C = D/groups consecutive features),
///           tokens ascending, then features: mean_bj, biased_variance_bj about it,
///           rstd_bj = 1 / sqrt(biased_variance_bj + eps) ; x_hat = (x - mean) rstd ;
///           y = gamma x_hat + beta
/// Shapes    x, y [B,T,D], or [N,D], which is [N,1,D]; gamma, beta [D]; mean, rstd [B,groups];
///           valid [B,T] or [N]
/// Requires  (C1) every extent of x >= 1  (C2) eps >= 0, and the variance + eps > 0  (C3) gamma,
///           beta have extent D or are empty  (C4) values finite, and so small that the statistics
///           stay finite  (C8) valid has the extents of x without D or is empty, and each sample
///           has a valid token  (C11) groups >= 1 divides D
/// Order     docs/specification/determinism.md, R2 (two passes for the variance) and R4
/// Saves     mean, rstd
/// Throws    ContractError
template <numeric::Real T>
GroupNormForward<T> group_norm(const Tensor<T>& x, const Affine<T>& affine, const Mask& valid,
                               const model::GroupNormOptions& options = {});

/// Computes  a_bj = S(g)/m ; c_bj = S(g x_hat)/m over all elements of the sample and group ;
///           grad_x = (g - 1_V (a + x_hat c)) rstd ; grad_gamma, grad_beta summed over all rows
/// Requires  (C5) grad_y has the shape of x  (C6) saved as group_norm returned it  (C7) grad_y
///           finite, and so small that its sums stay finite
/// Throws    ContractError
template <numeric::Real T>
AffineGradients<T> group_norm_backward(const Tensor<T>& grad_y, const Tensor<T>& x,
                                       const Affine<T>& affine, const Mask& valid,
                                       const GroupNormSaved<T>& saved,
                                       const model::GroupNormOptions& options = {});

}  // namespace normproof::ref::norm
