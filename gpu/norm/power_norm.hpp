#pragma once

#include "gpu/norm/step.hpp"

namespace normproof::gpu::norm {

/// ref/norm/power_norm.hpp on a device: formulas, requirements, sentences and bits. Takes and moves
/// running_psi2, nu and iterations of step.state.
/// Leaves    y, rstd, and in training quadratic_mean
/// Throws    ContractError
void power_norm(const ref::model::PowerNormOptions& options, const NormInputs& in, NormStep& step);

/// Leaves    grad_x, grad_gamma, grad_beta, and in training mean_x_hat_squared and mean_g_x_hat
void power_norm_backward(const ref::model::PowerNormOptions& options, const NormInputs& in,
                         const NormStep& forward, NormStep& step);

/// The number of training steps before this one.
/// Throws    ContractError unless iterations [1] holds a whole number, 0 or more
std::int64_t check_iterations(const NormStep& step);
void set_iterations(std::int64_t iterations, NormStep& step);

}  // namespace normproof::gpu::norm
