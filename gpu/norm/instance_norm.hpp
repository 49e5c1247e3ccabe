#pragma once

#include "gpu/norm/step.hpp"

namespace normproof::gpu::norm {

/// Instance norm: a group norm with one feature per group. Device version of
/// ref/norm/instance_norm.hpp.
/// Leaves    y, and mean and rstd [B,D] in step.outputs
/// Throws    ContractError
void instance_norm(const ref::model::InstanceNormOptions& options, const NormInputs& in,
                   NormStep& step);

/// The backward of instance_norm.
/// Leaves    grad_x, grad_gamma, grad_beta in step.outputs
void instance_norm_backward(const NormInputs& in, const NormStep& forward, NormStep& step);

}  // namespace normproof::gpu::norm
