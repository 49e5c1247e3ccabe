#pragma once

#include "verification/checks/evaluation/inputs.hpp"
#include "verification/golden/tolerance/tolerance.hpp"

namespace normproof::verification::golden::tolerance {

/// Widens the any-order bounds of the reference's functions for other published formulas of them.
///
/// Source    docs/error_analysis.md, section 8
/// Computes  bound += the errors of these variants.
///           gelu_tanh: 1 + tanh, which cancels for negative x.
///           softmax and log_softmax: a backward that uses y as stored in c.dtype.
///           log_sum_exp: a backward by exp(x - y).
///           silu and swiglu: a sigmoid 1/(1 + exp(-x)) whose exponential overflows, and 1 -
///           sigmoid in the backward.
///           swiglu and geglu: the activation, and in the backward grad_y gate, stored in c.dtype.
///           rope: products stored in c.dtype.
///           l2_norm: a backward that uses y as stored in c.dtype, or the powers of the reciprocal
///           norm in another order.
///           attention, cross_entropy and norms of a sum: add_attention_allowances,
///           add_cross_entropy_allowances and add_add_norm_allowances.
///           Other operations: nothing
/// Requires  bound holds the any-order bound of c for `accumulation`; flushes says whether the
///           candidate flushes subnormal numbers; inputs are the finite inputs of c; values are the
///           outputs for them in `double`
void add_function_allowances(const Case& c, const checks::evaluation::FunctionInputs& inputs,
                             const ref::tensor::NamedTensors<double>& values,
                             Accumulation accumulation, ref::tensor::NamedTensors<double>& bound,
                             bool flushes = false);

}  // namespace normproof::verification::golden::tolerance
