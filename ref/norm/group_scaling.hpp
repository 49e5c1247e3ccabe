#pragma once

#include "ref/model/norm_options.hpp"
#include "ref/norm/affine.hpp"

namespace normproof::ref::norm {

template <class T>
struct GroupScalingForward {
  Tensor<T> y;
  Tensor<T> rstd;  ///< [N,groups] or [B,T,groups]
};

/// Divides each group of features of each token by the root mean square of the group. This layer
/// comes from Online Normalization. The released PowerNorm applies this layer to its input first.
/// Source    [CPV+19]; docs/specification/norms.md
/// Computes  rstd_btj = 1 / sqrt((1/C) sum_{d in j} x_btd^2 + eps) ; y_btd = x_btd rstd_btj. Here j
///           is a group of C = D/groups consecutive features
/// Shapes    x, y [N,D] or [B,T,D]; rstd [N,groups] or [B,T,groups]
/// Requires  (C1) every extent of x is at least 1
///           (C2) eps >= 0, and the squared statistic + eps > 0
///           (C4) x is finite and small enough that the statistics stay finite
///           (C11) groups is at least 1 and divides D
/// Order     docs/specification/determinism.md, rules R2 and R4
/// Saves     rstd
/// Throws    ContractError
template <numeric::Real T>
GroupScalingForward<T> group_scaling(const Tensor<T>& x,
                                     const model::GroupScalingOptions& options = {});

/// Returns the gradient of x through group_scaling.
/// Computes  c_btj = (1/C) sum_{d in j} grad_y_btd y_btd ; grad_x = (grad_y - y c) rstd
/// Requires  (C5) grad_y has the shape of x  (C6) rstd is what group_scaling returned
///           (C7) grad_y is finite
/// Throws    ContractError
template <numeric::Real T>
Tensor<T> group_scaling_backward(const Tensor<T>& grad_y, const Tensor<T>& x, const Tensor<T>& rstd,
                                 const model::GroupScalingOptions& options);

}  // namespace normproof::ref::norm
