#pragma once

#include "gpu/norm/step.hpp"

namespace normproof::gpu::norm {

/// Layer norm. Device version with the same formulas, preconditions, error messages and bits as
/// ref/norm/layer_norm.hpp.
/// Leaves    y, mean, rstd in step.outputs
/// Throws    ContractError
void layer_norm(const ref::model::LayerNormOptions& options, const NormInputs& in, NormStep& step);

/// The backward of layer_norm.
/// Leaves    grad_x, grad_gamma, grad_beta in step.outputs
/// Requires  `forward` is the step that layer_norm filled
void layer_norm_backward(const NormInputs& in, const NormStep& forward, NormStep& step);

}  // namespace normproof::gpu::norm
