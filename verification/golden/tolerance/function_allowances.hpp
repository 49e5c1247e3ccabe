#pragma once

#include "verification/checks/evaluation/inputs.hpp"
#include "verification/golden/tolerance/tolerance.hpp"

namespace normproof::verification::golden::tolerance {

/// What printed formulas of functions may be off beyond the any-order bound of the reference's.
///
/// Source    docs/derivations/error_analysis.md, section 8
/// Computes  bound += gelu_tanh's 1 + tanh, which cancels below 0; a backward of softmax and
///           log_softmax that takes y as it was stored in c.dtype, and one of log_sum_exp by
///           exp(x - y); of silu and swiglu a sigmoid 1/(1 + exp(-x)) whose exponential
///           overflows, and 1 - sigmoid in the backward; of swiglu and geglu the activation, and
///           in the backward grad_y gate, as they were stored in c.dtype; of attention
///           add_attention_allowances, of cross_entropy add_cross_entropy_allowances,
///           of norms of a sum add_add_norm_allowances; of rope products that were stored in
///           c.dtype; other operations: nothing
/// Requires  bound: the any-order bound of c for `accumulation`, which flushes
///           subnormal numbers or not; inputs: finite ones of c
void add_function_allowances(const Case& c, const checks::evaluation::FunctionInputs& inputs,
                             Accumulation accumulation, ref::tensor::NamedTensors<double>& bound,
                             bool flushes = false);

}  // namespace normproof::verification::golden::tolerance
