#pragma once

#include "gpu/norm/step.hpp"

namespace normproof::gpu::norm {

/// ref/norm/instance_norm.hpp on a device: group_norm with one feature a group.
/// Leaves    y, mean, rstd [B,D]
/// Throws    ContractError
void instance_norm(const ref::model::InstanceNormOptions& options, const NormInputs& in,
                   NormStep& step);

/// Leaves    grad_x, grad_gamma, grad_beta
void instance_norm_backward(const NormInputs& in, const NormStep& forward, NormStep& step);

}  // namespace normproof::gpu::norm
