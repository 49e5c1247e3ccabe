#pragma once

#include "gpu/norm/step.hpp"

namespace normproof::gpu::norm {

/// ref/norm/add_norm.hpp on a device: formulas, requirements, sentences and bits. in.x is x.
/// Leaves    sum, y, and the statistics of layer_norm
/// Requires  (C1) residual has the shape of x  (C2) sum is finite
/// Throws    ContractError
void add_layer_norm(const ref::model::LayerNormOptions& options, NormInputs in,
                    const DeviceTensor<double>& residual, NormStep& step);
/// Leaves    grad_x, grad_gamma, grad_beta
/// Requires  `forward` as add_layer_norm left it  (C3) grad_sum has the shape of sum, or is {}
///           (C4) grad_x is finite
void add_layer_norm_backward(NormInputs in, const DeviceTensor<double>& grad_sum,
                             const NormStep& forward, NormStep& step);

/// The same of rms_norm.
/// Requires  (C1) residual has the shape of x  (C2) sum is finite
void add_rms_norm(const ref::model::RMSNormOptions& options, NormInputs in,
                  const DeviceTensor<double>& residual, NormStep& step);
/// Requires  `forward` as add_rms_norm left it  (C3) grad_sum has the shape of sum, or is {}
///           (C4) grad_x is finite
void add_rms_norm_backward(NormInputs in, const DeviceTensor<double>& grad_sum,
                           const NormStep& forward, NormStep& step);

}  // namespace normproof::gpu::norm
