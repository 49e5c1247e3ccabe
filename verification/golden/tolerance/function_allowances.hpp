#pragma once

#include "verification/checks/evaluation/inputs.hpp"
#include "verification/golden/tolerance/add_norm_allowances.hpp"
#include "verification/golden/tolerance/tolerance.hpp"

namespace normproof::verification::golden::tolerance {

/// Widens the error bounds of functions for other published formulas of these functions. The bounds
/// are derived from the formulas of the reference.
///
/// Source    docs/error_analysis.md, section 8
/// Computes  adds the errors of these variants to the bounds.
///           gelu_tanh: 1 + tanh, which cancels for negative x.
///           softmax and log_softmax: a backward pass that uses y as stored in c.dtype.
///           log_sum_exp: a backward pass that computes exp(x - y).
///           silu and swiglu: a sigmoid 1/(1 + exp(-x)) whose exponential overflows, and 1 -
///           sigmoid in the backward pass.
///           With Formula::stable, gelu_tanh, silu and swiglu get neither of these for x < 0, and
///           gelu and geglu get a bound relative to the result for x < -2.
///           swiglu and geglu: the activation, the sum of gate and beta, and in the backward pass
///           the product of grad_y and this sum, stored in c.dtype.
///           swiglu: any gradient from 0 on for an element at the limit itself.
///           rope: products stored in c.dtype.
///           l2_norm: a backward pass that uses y as stored in c.dtype, or the powers of the
///           reciprocal norm in another order.
///           attention, merge_attention_states, cross_entropy, gated_rms_norm and norms of a sum:
///           see add_attention_allowances, add_merge_allowances, add_cross_entropy_allowances,
///           add_gated_norm_allowances and add_add_norm_allowances.
///           Other activations: see add_activation_allowances.
///           Other operations: nothing
/// Requires  `bound` contains the error bound of c for sums in any order in `accumulation`;
///           `flushes` says whether the candidate flushes subnormal numbers to 0; `inputs` are the
///           finite inputs of c; `values` are the outputs for them in `double`; `sums_of_block` is
///           given if c is a block of rows (add_add_norm_allowances)
void add_function_allowances(const Case& c, const checks::evaluation::FunctionInputs& inputs,
                             const ref::tensor::NamedTensors<double>& values,
                             Accumulation accumulation, Formula formula,
                             ref::tensor::NamedTensors<double>& bound, bool flushes = false,
                             OtherSums* sums_of_block = nullptr);

}  // namespace normproof::verification::golden::tolerance
