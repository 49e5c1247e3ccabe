#pragma once

#include "ref/model/float32_norm_options.hpp"
#include "ref/norm/affine.hpp"

namespace normproof::ref::norm {

struct Float32NormForward {
  Tensor<float> y;
  Tensor<double> mean;  ///< [N], numbers of the arithmetic; {} where the layer is not centred
  Tensor<double> rstd;  ///< [N], numbers of the arithmetic
};

/// What kernels for float32, bfloat16 and float16 have to answer, bit for bit: the formula of
/// layer_norm, or of rms_norm where it is not centred, with options.arithmetic in the place of
/// double, then y rounded to options.storage, to nearest, ties to even. A tensor of a format is
/// given as the float32 numbers that it holds. NaN and infinity go where IEEE 754 has them go: no
/// value is refused.
/// Computes  as layer_norm and rms_norm
/// Shapes    x, y [N,D]; gamma, beta [D] or empty; mean, rstd [N]
/// Requires  (C1) x is [N,D], N >= 0, D >= 1  (C2) eps >= 0  (C3) gamma, beta have extent D or are
///           empty  (C12) storage and parameters are float32, bfloat16 or float16, arithmetic is
///           float32 or float64
/// Order     docs/specification/determinism.md, R2 for the sums, R4 as written, each rounded to the arithmetic
/// Error     docs/derivations/error_analysis.md, section 8, with options.arithmetic
/// Saves     mean, rstd
/// Throws    ContractError
Float32NormForward float32_norm(const Tensor<float>& x, const Affine<float>& affine,
                                const model::Float32NormOptions& options);

/// Computes  as layer_norm_backward and rms_norm_backward, to which grad_x adds grad_sum; then
///           grad_x is rounded to options.storage, grad_gamma and grad_beta to options.parameters
/// Shapes    grad_y, grad_sum, grad_x as x; grad_gamma, grad_beta [D], +0 where N = 0
/// Requires  those of float32_norm; (C5) grad_y has the shape of x
///           (C6) mean and rstd have the shapes that float32_norm returned
///           (C13) grad_sum has the shape of x, or is empty: zeros
/// Order     R2 for grad_x. Of grad_gamma and grad_beta the rows are cut into runs of
///           model::kRowsOfARun that follow each other, the last one shorter: a run's terms are
///           added ascending from +0, then the runs by R2 along columns
/// Error     docs/derivations/error_analysis.md, section 8, whose sums may have any order; section 2 has the
///           longest chain of this one
/// Throws    ContractError
AffineGradients<float> float32_norm_backward(const Tensor<float>& grad_y, const Tensor<float>& x,
                                             const Affine<float>& affine,
                                             const Float32NormForward& saved,
                                             const model::Float32NormOptions& options,
                                             const Tensor<float>& grad_sum = {});

struct Float32AddNormForward {
  Tensor<float> sum;  ///< of options.storage
  Float32NormForward norm;
};

/// A norm of the sum of two tensors, as residual connections take it. The norm sees the sum as it
/// is stored, so that y and the statistics are those of float32_norm of it, and the backward is
/// float32_norm_backward of sum with grad_sum, the gradient that arrives at the sum besides.
/// Computes  sum = x + residual in the arithmetic, rounded to options.storage ;
///           norm = float32_norm(sum)
/// Requires  those of float32_norm; (C14) residual has the shape of x
/// Throws    ContractError
Float32AddNormForward float32_add_norm(const Tensor<float>& x, const Tensor<float>& residual,
                                       const Affine<float>& affine,
                                       const model::Float32NormOptions& options);

}  // namespace normproof::ref::norm
