#pragma once

#include "gpu/norm/step.hpp"

namespace normproof::gpu::norm {

/// Group scaling. Device version with the same formulas, preconditions, error messages and bits as
/// ref/norm/group_scaling.hpp.
/// Leaves    y and rstd [.., groups] in step.outputs
/// Throws    ContractError
void group_scaling(const ref::model::GroupScalingOptions& options, const NormInputs& in,
                   NormStep& step);

/// The backward of group_scaling.
/// Leaves    grad_x in step.outputs
void group_scaling_backward(const ref::model::GroupScalingOptions& options, const NormInputs& in,
                            const NormStep& forward, NormStep& step);

}  // namespace normproof::gpu::norm
