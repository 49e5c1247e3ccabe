#pragma once

#include "ref/model/norm_options.hpp"
#include "ref/norm/affine.hpp"

namespace normproof::ref::norm {

template <class T>
struct InstanceNormSaved {
  Tensor<T> mean;  ///< [B,D]
  Tensor<T> rstd;  ///< [B,D]
};

template <class T>
struct InstanceNormForward {
  Tensor<T> y;
  InstanceNormSaved<T> saved;
};

/// Instance normalization. Each channel of a sample is normalized by its statistics over the valid
/// tokens of the sample. This is group normalization with one feature per group.
/// Source    [UVL16]; docs/specification/norms.md
/// Computes  mean_bd = (1/n_b) sum_{t valid} x_btd ; biased_variance_bd is the mean of (x_btd -
///           mean_bd)^2 over the same tokens ;
///           rstd = 1 / sqrt(biased_variance + eps) ; x_hat = (x - mean) rstd ;
///           y = gamma x_hat + beta, where n_b is the number of valid tokens of sample b
/// Shapes    x, y [B,T,D], or [N,D], which counts as [N,1,D]; gamma, beta [D]; mean, rstd [B,D];
///           valid [B,T] or [N]
/// Requires  (C1) every extent of x is at least 1  (C2) eps >= 0, and the variance + eps > 0
///           (C3) gamma and beta have extent D or are empty
///           (C4) all values are finite and small enough that the statistics stay finite
///           (C8) valid has the shape of x without D, or is empty, and each sample has a valid
///           token
/// Order     docs/specification/determinism.md, rules R2 and R4
/// Saves     mean, rstd
/// Throws    ContractError
template <numeric::Real T>
InstanceNormForward<T> instance_norm(const Tensor<T>& x, const Affine<T>& affine, const Mask& valid,
                                     const model::InstanceNormOptions& options = {});

/// Returns the gradients of instance_norm.
/// Computes  what group_norm_backward computes with D groups
/// Requires  (C5) grad_y has the shape of x  (C6) saved is what instance_norm returned
///           (C7) grad_y is finite and small enough that its sums stay finite
/// Throws    ContractError
template <numeric::Real T>
AffineGradients<T> instance_norm_backward(const Tensor<T>& grad_y, const Tensor<T>& x,
                                          const Affine<T>& affine, const Mask& valid,
                                          const InstanceNormSaved<T>& saved);

}  // namespace normproof::ref::norm
