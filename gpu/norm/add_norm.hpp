#pragma once

#include "gpu/norm/step.hpp"

namespace normproof::gpu::norm {

/// Layer norm of the sum of x and a residual, where x is `in.x`. Device version with the same
/// formulas, preconditions, error messages and bits as ref/norm/add_norm.hpp.
/// Leaves    sum, y and the statistics of layer_norm in step.outputs
/// Requires  (C1) residual has the shape of x  (C2) sum is finite
/// Throws    ContractError
void add_layer_norm(const ref::model::LayerNormOptions& options, NormInputs in,
                    const DeviceTensor<double>& residual, NormStep& step);
/// The backward of add_layer_norm. grad_sum is the gradient of the output `sum`.
/// Leaves    grad_x, grad_gamma, grad_beta in step.outputs
/// Requires  `forward` is the step that add_layer_norm filled  (C3) grad_sum has the shape of sum,
///           or is {}  (C4) grad_x is finite
void add_layer_norm_backward(NormInputs in, const DeviceTensor<double>& grad_sum,
                             const NormStep& forward, NormStep& step);

/// RMS norm of the sum of x and a residual, like add_layer_norm.
/// Requires  (C1) residual has the shape of x  (C2) sum is finite
void add_rms_norm(const ref::model::RMSNormOptions& options, NormInputs in,
                  const DeviceTensor<double>& residual, NormStep& step);
/// The backward of add_rms_norm. grad_sum is the gradient of the output `sum`.
/// Requires  `forward` is the step that add_rms_norm filled  (C3) grad_sum has the shape of sum, or
///           is {}  (C4) grad_x is finite
void add_rms_norm_backward(NormInputs in, const DeviceTensor<double>& grad_sum,
                           const NormStep& forward, NormStep& step);

}  // namespace normproof::gpu::norm
