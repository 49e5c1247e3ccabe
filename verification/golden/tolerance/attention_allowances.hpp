#pragma once

#include "verification/golden/tolerance/function_allowances.hpp"

namespace normproof::verification::golden::tolerance {

/// Widens the any-order bound of the reference's attention formula for what attention kernels do.
///
/// Source    docs/error_analysis.md, section 8
/// Computes  bound += the error of weights, and in the backward of grad_scores, that are stored in
///           c.dtype before the next product; of a softmax backward whose mean is the sum of grad_y
///           times the stored y; and of backward weights computed as exp(scores - log_sum_exp)
/// Requires  bound holds the any-order bound of c for `accumulation`; inputs are the finite
///           inputs of c, with grad_y
void add_attention_allowances(const Case& c, const checks::evaluation::FunctionInputs& inputs,
                              Accumulation accumulation, ref::tensor::NamedTensors<double>& bound);

}  // namespace normproof::verification::golden::tolerance
