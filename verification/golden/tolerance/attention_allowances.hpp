#pragma once

#include "verification/golden/tolerance/function_allowances.hpp"

namespace normproof::verification::golden::tolerance {

/// Widens the error bounds of attention, which are derived from the reference's formula, for other
/// computations that attention kernels use.
///
/// Source    docs/error_analysis.md, section 8
/// Computes  adds the errors of these variants to the bounds: attention weights, and gradients of
///           scores in the backward pass, that are stored in c.dtype before the next product; a
///           backward pass of softmax whose mean is the sum of grad_y times the stored y; attention
///           weights that the backward pass recomputes as exp(scores - log_sum_exp)
/// Requires  `bound` contains the error bound of c for sums in any order in `accumulation`;
///           `inputs` are the finite inputs of c, with grad_y
void add_attention_allowances(const Case& c, const checks::evaluation::FunctionInputs& inputs,
                              Accumulation accumulation, ref::tensor::NamedTensors<double>& bound);

}  // namespace normproof::verification::golden::tolerance
