#pragma once

#include "verification/golden/tolerance/function_allowances.hpp"

namespace normproof::verification::golden::tolerance {

/// What kernels of attention may be off beyond the any-order bound of the reference's formula.
///
/// Source    docs/derivations/error_analysis.md, section 8
/// Computes  bound += weights, and in the backward grad_scores, that were stored in c.dtype before
///           the next product; a mean of the backward of softmax that is the sum of grad_y and y as
///           it was stored; weights of the backward that are exp(scores - log_sum_exp)
/// Requires  bound: the any-order bound of c for `accumulation`; inputs: finite ones of c, with
///           grad_y
void add_attention_allowances(const Case& c, const checks::evaluation::FunctionInputs& inputs,
                              Accumulation accumulation, ref::tensor::NamedTensors<double>& bound);

}  // namespace normproof::verification::golden::tolerance
