#pragma once

#include "gpu/norm/step.hpp"

namespace normproof::gpu::norm {

/// Batch norm. Device version with the same formulas, preconditions, error messages and bits as
/// ref/norm/batch_norm.hpp. Reads and updates running_mean and running_variance in step.state.
/// Leaves    y and rstd, and in training mean and biased_variance, in step.outputs
/// Throws    ContractError
void batch_norm(const ref::model::BatchNormOptions& options, const NormInputs& in, NormStep& step);

/// The backward of batch_norm.
/// Leaves    grad_x, grad_gamma, grad_beta in step.outputs
void batch_norm_backward(const NormInputs& in, const NormStep& forward, NormStep& step);

}  // namespace normproof::gpu::norm
