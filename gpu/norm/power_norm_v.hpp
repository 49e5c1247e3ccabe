#pragma once

#include "gpu/norm/step.hpp"

namespace normproof::gpu::norm {

/// PN-V, the variant of PowerNorm with an exact backward. Device version with the same formulas,
/// preconditions, error messages and bits as ref/norm/power_norm_v.hpp. Reads and updates
/// running_psi2 in step.state.
/// Leaves    y and rstd, and in training quadratic_mean, in step.outputs
/// Throws    ContractError
void power_norm_v(const ref::model::PowerNormVOptions& options, const NormInputs& in,
                  NormStep& step);

/// The backward of power_norm_v.
/// Leaves    grad_x, grad_gamma, grad_beta in step.outputs
void power_norm_v_backward(const NormInputs& in, const NormStep& forward, NormStep& step);

}  // namespace normproof::gpu::norm
