#pragma once

#include "gpu/norm/step.hpp"

namespace normproof::gpu::norm {

/// Batch renormalization. Device version with the same formulas, preconditions, error messages and
/// bits as ref/norm/batch_renorm.hpp. Reads and updates running_mean and running_variance in
/// step.state.
/// Leaves    y and rstd, and in training mean, biased_variance, r and d, in step.outputs
/// Throws    ContractError
void batch_renorm(const ref::model::BatchRenormOptions& options, const NormInputs& in,
                  NormStep& step);

/// The backward of batch_renorm.
/// Leaves    grad_x, grad_gamma, grad_beta in step.outputs
void batch_renorm_backward(const NormInputs& in, const NormStep& forward, NormStep& step);

}  // namespace normproof::gpu::norm
