#pragma once

#include "gpu/norm/step.hpp"

namespace normproof::gpu::norm {

/// ref/norm/group_norm.hpp on a device: formulas, requirements, sentences and bits.
/// Leaves    y, mean, rstd [B, groups]
/// Throws    ContractError
void group_norm(const ref::model::GroupNormOptions& options, const NormInputs& in, NormStep& step);

/// Leaves    grad_x, grad_gamma, grad_beta
void group_norm_backward(const ref::model::GroupNormOptions& options, const NormInputs& in,
                         const NormStep& forward, NormStep& step);

}  // namespace normproof::gpu::norm
