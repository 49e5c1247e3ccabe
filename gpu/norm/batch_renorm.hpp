#pragma once

#include "gpu/norm/step.hpp"

namespace normproof::gpu::norm {

/// ref/norm/batch_renorm.hpp on a device: formulas, requirements, sentences and bits. Takes and
/// moves running_mean and running_variance of step.state.
/// Leaves    y, rstd, and in training mean, biased_variance, r and d
/// Throws    ContractError
void batch_renorm(const ref::model::BatchRenormOptions& options, const NormInputs& in,
                  NormStep& step);

/// Leaves    grad_x, grad_gamma, grad_beta
void batch_renorm_backward(const NormInputs& in, const NormStep& forward, NormStep& step);

}  // namespace normproof::gpu::norm
