#pragma once

#include "gpu/norm/step.hpp"

namespace normproof::gpu::norm {

/// ref/norm/layer_norm.hpp on a device: formulas, requirements, sentences and bits.
/// Leaves    y, mean, rstd
/// Throws    ContractError
void layer_norm(const ref::model::LayerNormOptions& options, const NormInputs& in, NormStep& step);

/// Leaves    grad_x, grad_gamma, grad_beta
/// Requires  `forward` as layer_norm left it
void layer_norm_backward(const NormInputs& in, const NormStep& forward, NormStep& step);

}  // namespace normproof::gpu::norm
