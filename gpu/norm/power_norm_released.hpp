#pragma once

#include "gpu/norm/step.hpp"

namespace normproof::gpu::norm {

/// The released code of PowerNorm. Device version with the same formulas, preconditions, error
/// messages and bits as ref/norm/power_norm_released.hpp. Reads and updates running_psi2, nu and
/// iterations in step.state.
/// Leaves    y and rstd in step.outputs; in training also quadratic_mean and batch_rstd; with group
///           scaling also group_rstd
/// Throws    ContractError
void power_norm_released(const ref::model::PowerNormReleasedOptions& options, const NormInputs& in,
                         NormStep& step);

/// The backward of power_norm_released.
/// Leaves    grad_x, grad_gamma and grad_beta, and in training mean_x_hat_squared and mean_g_x_hat,
///           in step.outputs
void power_norm_released_backward(const ref::model::PowerNormReleasedOptions& options,
                                  const NormInputs& in, const NormStep& forward, NormStep& step);

}  // namespace normproof::gpu::norm
