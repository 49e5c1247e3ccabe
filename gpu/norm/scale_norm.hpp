#pragma once

#include "gpu/norm/step.hpp"

namespace normproof::gpu::norm {

/// ScaleNorm. Device version with the same formulas, preconditions, error messages and bits as
/// ref/norm/scale_norm.hpp.
/// Leaves    y, rnorm in step.outputs
/// Throws    ContractError
void scale_norm(const ref::model::ScaleNormOptions& options, const NormInputs& in, NormStep& step);

/// The backward of scale_norm.
/// Leaves    grad_x, grad_gamma [1] in step.outputs
void scale_norm_backward(const NormInputs& in, const NormStep& forward, NormStep& step);

}  // namespace normproof::gpu::norm
