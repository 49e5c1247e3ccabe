#pragma once

#include "gpu/norm/step.hpp"

namespace normproof::gpu::norm {

/// Dynamic tanh. Device version with the same formulas, preconditions, error messages and bits as
/// ref/norm/dyt.hpp.
/// Leaves    y in step.outputs
/// Throws    ContractError
void dyt(const ref::model::DyTOptions& options, const NormInputs& in, NormStep& step);

/// The backward of dyt.
/// Leaves    grad_x, grad_gamma, grad_beta, grad_alpha [1] in step.outputs
void dyt_backward(const ref::model::DyTOptions& options, const NormInputs& in, NormStep& step);

}  // namespace normproof::gpu::norm
