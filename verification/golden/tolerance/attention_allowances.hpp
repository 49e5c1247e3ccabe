#pragma once

#include "verification/golden/tolerance/function_allowances.hpp"

namespace normproof::verification::golden::tolerance {

/// Widens the error bounds of attention for other computations that attention kernels use. The
/// bounds are derived from the formula of the reference.
///
/// Source    docs/error_analysis.md, section 8
/// Computes  adds the errors of these variants to the bounds: attention weights, or in the backward
///           pass gradients of scores, are stored in c.dtype before they are multiplied; the mean
///           in the backward pass of softmax is the sum of grad_y times the stored y; the backward
///           pass recomputes the attention weights as exp(scores - log_sum_exp)
/// Requires  `bound` contains the error bound of c for sums in any order in `accumulation`;
///           `inputs` are the finite inputs of c, with grad_y
void add_attention_allowances(const Case& c, const checks::evaluation::FunctionInputs& inputs,
                              Accumulation accumulation, ref::tensor::NamedTensors<double>& bound);

}  // namespace normproof::verification::golden::tolerance
