#pragma once

#include "gpu/norm/step.hpp"

namespace normproof::gpu::norm {

/// ref/norm/rms_norm.hpp on a device: formulas, requirements, sentences and bits.
/// Leaves    y, rstd
/// Throws    ContractError
void rms_norm(const ref::model::RMSNormOptions& options, const NormInputs& in, NormStep& step);

/// Leaves    grad_x, grad_gamma, grad_beta
void rms_norm_backward(const NormInputs& in, const NormStep& forward, NormStep& step);

}  // namespace normproof::gpu::norm
