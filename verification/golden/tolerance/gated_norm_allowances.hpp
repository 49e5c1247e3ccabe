#pragma once

#include "verification/checks/evaluation/inputs.hpp"
#include "verification/golden/tolerance/tolerance.hpp"

namespace normproof::verification::golden::tolerance {

/// Widens the error bounds of gated_rms_norm for other correct implementations.
///
/// Source    docs/error_analysis.md, section 8
/// Computes  adds the effect of these errors, to first order, to the bounds of all outputs:
///           the activation: a sigmoid 1/(1 + exp(-z)) whose exponential overflows, and 1 - sigmoid
///           in the derivative. With Formula::stable, neither is allowed for z < 0.
///           In 16 bits: the activation, the input of the norm, x_hat, the output of the norm and
///           the gradients of each of these, stored in c.dtype
/// Requires  the operation of c is gated_rms_norm; `bound` contains the error bound of c for sums
///           in any order in `accumulation`; `inputs` are the finite inputs of c
void add_gated_norm_allowances(const Case& c, const checks::evaluation::FunctionInputs& inputs,
                               Accumulation accumulation, Formula formula,
                               ref::tensor::NamedTensors<double>& bound);

}  // namespace normproof::verification::golden::tolerance
