#pragma once

#include "gpu/norm/step.hpp"

namespace normproof::gpu::norm {

/// ref/norm/scale_norm.hpp on a device: formulas, requirements, sentences and bits.
/// Leaves    y, rnorm
/// Throws    ContractError
void scale_norm(const ref::model::ScaleNormOptions& options, const NormInputs& in, NormStep& step);

/// Leaves    grad_x, grad_gamma [1]
void scale_norm_backward(const NormInputs& in, const NormStep& forward, NormStep& step);

}  // namespace normproof::gpu::norm
