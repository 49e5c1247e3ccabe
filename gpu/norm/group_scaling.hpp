#pragma once

#include "gpu/norm/step.hpp"

namespace normproof::gpu::norm {

/// ref/norm/group_scaling.hpp on a device: formulas, requirements, sentences and bits.
/// Leaves    y, rstd [.., groups]
/// Throws    ContractError
void group_scaling(const ref::model::GroupScalingOptions& options, const NormInputs& in,
                   NormStep& step);

/// Leaves    grad_x
void group_scaling_backward(const ref::model::GroupScalingOptions& options, const NormInputs& in,
                            const NormStep& forward, NormStep& step);

}  // namespace normproof::gpu::norm
