#pragma once

#include "ref/model/float32_norm_options.hpp"
#include "ref/norm/affine.hpp"

namespace normproof::ref::norm {

struct Float32NormForward {
  Tensor<float> y;
  Tensor<double> mean;  ///< [N], numbers of options.arithmetic; {} if not centered
  Tensor<double> rstd;  ///< [N], numbers of options.arithmetic
};

/// Computes what a kernel for float32, bfloat16 or float16 must return, bit for bit. The formula is
/// that of layer_norm if the layer is centered, otherwise that of rms_norm. It is evaluated in
/// options.arithmetic instead of double. Then y is rounded to options.storage, to nearest with ties
/// to even. A tensor of a low-precision format is passed as float32 numbers that the format can
/// represent. NaN and infinity propagate as in IEEE 754; no value is rejected.
/// Computes  what layer_norm or rms_norm computes
/// Shapes    x, y [N,D]; gamma, beta [D] or empty; mean, rstd [N]
/// Requires  (C1) x is [N,D] with N >= 0 and D >= 1  (C2) eps >= 0
///           (C3) gamma and beta have extent D or are empty
///           (C12) storage and parameters are float32, bfloat16 or float16, and arithmetic is
///           float32 or float64
/// Order     docs/specification/determinism.md, rule R2 for the sums, rule R4 for the rest. Each
///           operation is rounded to options.arithmetic
/// Error     docs/error_analysis.md, section 8, with options.arithmetic
/// Saves     mean, rstd
/// Throws    ContractError
Float32NormForward float32_norm(const Tensor<float>& x, const Affine<float>& affine,
                                const model::Float32NormOptions& options);

/// Returns the gradients of float32_norm.
/// Computes  what layer_norm_backward or rms_norm_backward computes. grad_sum is added to grad_x.
///           Then grad_x is rounded to options.storage, and grad_gamma and grad_beta are rounded to
///           options.parameters
/// Shapes    grad_y, grad_sum and grad_x have the shape of x; grad_gamma, grad_beta [D], which are
///           +0 if N = 0
/// Requires  the requirements of float32_norm; (C5) grad_y has the shape of x
///           (C6) mean and rstd have the shapes that float32_norm returned
///           (C13) grad_sum has the shape of x, or is empty and counts as zeros
/// Order     rule R2 for grad_x. For grad_gamma and grad_beta the rows are cut into consecutive
///           runs of `kRowsPerRun` rows; the last run may be shorter. The terms of a run are added
///           in ascending order from +0. Then the sums of the runs are added by rule R2 along
///           columns
/// Error     docs/error_analysis.md, section 8, whose bound holds for any order of the sums;
///           section 2 states the longest chain of this order
/// Throws    ContractError
AffineGradients<float> float32_norm_backward(const Tensor<float>& grad_y, const Tensor<float>& x,
                                             const Affine<float>& affine,
                                             const Float32NormForward& saved,
                                             const model::Float32NormOptions& options,
                                             const Tensor<float>& grad_sum = {});

struct Float32AddNormForward {
  Tensor<float> sum;  ///< x + residual; numbers of options.storage
  Float32NormForward norm;
};

/// Normalizes the sum of two tensors, as residual connections do. The sum is rounded to
/// options.storage first, so y and the statistics are what float32_norm(sum) returns. For the
/// backward, call float32_norm_backward with `sum` as x; its grad_sum is the gradient that reaches
/// the sum by other paths.
/// Computes  sum = x + residual in options.arithmetic, rounded to options.storage ;
///           norm = float32_norm(sum)
/// Requires  the requirements of float32_norm; (C14) residual has the shape of x
/// Throws    ContractError
Float32AddNormForward float32_add_norm(const Tensor<float>& x, const Tensor<float>& residual,
                                       const Affine<float>& affine,
                                       const model::Float32NormOptions& options);

}  // namespace normproof::ref::norm
