#pragma once

#include "gpu/norm/step.hpp"

namespace normproof::gpu::norm {

/// Group norm. Device version with the same formulas, preconditions, error messages and bits as
/// ref/norm/group_norm.hpp.
/// Leaves    y, and mean and rstd [B, groups] in step.outputs
/// Throws    ContractError
void group_norm(const ref::model::GroupNormOptions& options, const NormInputs& in, NormStep& step);

/// The backward of group_norm.
/// Leaves    grad_x, grad_gamma, grad_beta in step.outputs
void group_norm_backward(const ref::model::GroupNormOptions& options, const NormInputs& in,
                         const NormStep& forward, NormStep& step);

}  // namespace normproof::gpu::norm
