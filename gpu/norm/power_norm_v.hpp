#pragma once

#include "gpu/norm/step.hpp"

namespace normproof::gpu::norm {

/// ref/norm/power_norm_v.hpp on a device: formulas, requirements, sentences and bits. Takes and
/// moves running_psi2 of step.state.
/// Leaves    y, rstd, and in training quadratic_mean
/// Throws    ContractError
void power_norm_v(const ref::model::PowerNormVOptions& options, const NormInputs& in,
                  NormStep& step);

/// Leaves    grad_x, grad_gamma, grad_beta
void power_norm_v_backward(const NormInputs& in, const NormStep& forward, NormStep& step);

}  // namespace normproof::gpu::norm
