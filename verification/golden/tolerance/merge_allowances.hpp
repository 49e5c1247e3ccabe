#pragma once

#include "verification/golden/tolerance/function_allowances.hpp"

namespace normproof::verification::golden::tolerance {

/// Widens the error bounds of merge_attention_states for other computations that kernels use. The
/// bounds are derived from the formula of the reference.
///
/// Source    docs/error_analysis.md, section 8
/// Computes  adds the errors of these variants to the bounds: logarithms are multiplied by log2(e)
///           or log(2) before the largest is subtracted; the splits are merged one after the other;
///           the mean in the backward pass of softmax is the sum of grad_y times the stored y
/// Requires  `bound` contains the error bound of c for sums in any order in `accumulation`;
///           `inputs` are the finite inputs of c, in which a logarithm of -infinity marks an empty
///           split
void add_merge_allowances(const Case& c, const checks::evaluation::FunctionInputs& inputs,
                          Accumulation accumulation, ref::tensor::NamedTensors<double>& bound);

}  // namespace normproof::verification::golden::tolerance
