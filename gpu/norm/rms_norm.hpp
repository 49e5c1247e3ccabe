#pragma once

#include "gpu/norm/step.hpp"

namespace normproof::gpu::norm {

/// RMS norm. Device version with the same formulas, preconditions, error messages and bits as
/// ref/norm/rms_norm.hpp.
/// Leaves    y, rstd in step.outputs
/// Throws    ContractError
void rms_norm(const ref::model::RMSNormOptions& options, const NormInputs& in, NormStep& step);

/// The backward of rms_norm.
/// Leaves    grad_x, grad_gamma, grad_beta in step.outputs
void rms_norm_backward(const NormInputs& in, const NormStep& forward, NormStep& step);

}  // namespace normproof::gpu::norm
