#pragma once

#include "gpu/norm/step.hpp"

namespace normproof::gpu::norm {

/// PowerNorm. Device version with the same formulas, preconditions, error messages and bits as
/// ref/norm/power_norm.hpp. Reads and updates running_psi2, nu and iterations in step.state.
/// Leaves    y and rstd, and in training quadratic_mean, in step.outputs
/// Throws    ContractError
void power_norm(const ref::model::PowerNormOptions& options, const NormInputs& in, NormStep& step);

/// The backward of power_norm.
/// Leaves    grad_x, grad_gamma and grad_beta, and in training mean_x_hat_squared and mean_g_x_hat,
///           in step.outputs
void power_norm_backward(const ref::model::PowerNormOptions& options, const NormInputs& in,
                         const NormStep& forward, NormStep& step);

/// Returns the number of training steps before this one, which is the state `iterations`.
/// Throws    ContractError unless iterations [1] is an integer that is at least 0
std::int64_t check_iterations(const NormStep& step);
void set_iterations(std::int64_t iterations, NormStep& step);

}  // namespace normproof::gpu::norm
