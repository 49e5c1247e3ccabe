#pragma once

#include "gpu/norm/step.hpp"

namespace normproof::gpu::norm {

/// ref/norm/dyt.hpp on a device: formulas, requirements, sentences and bits.
/// Leaves    y
/// Throws    ContractError
void dyt(const ref::model::DyTOptions& options, const NormInputs& in, NormStep& step);

/// Leaves    grad_x, grad_gamma, grad_beta, grad_alpha [1]
void dyt_backward(const ref::model::DyTOptions& options, const NormInputs& in, NormStep& step);

}  // namespace normproof::gpu::norm
