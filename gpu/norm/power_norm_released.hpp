#pragma once

#include "gpu/norm/step.hpp"

namespace normproof::gpu::norm {

/// ref/norm/power_norm_released.hpp on a device: formulas, requirements, sentences and bits. Takes
/// and moves running_psi2, nu and iterations of step.state.
/// Leaves    y, rstd, in training quadratic_mean and batch_rstd, with group scaling group_rstd
/// Throws    ContractError
void power_norm_released(const ref::model::PowerNormReleasedOptions& options, const NormInputs& in,
                         NormStep& step);

/// Leaves    grad_x, grad_gamma, grad_beta, and in training mean_x_hat_squared and mean_g_x_hat
void power_norm_released_backward(const ref::model::PowerNormReleasedOptions& options,
                                  const NormInputs& in, const NormStep& forward, NormStep& step);

}  // namespace normproof::gpu::norm
