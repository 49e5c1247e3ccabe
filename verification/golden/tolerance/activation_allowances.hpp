#pragma once

#include "verification/checks/evaluation/inputs.hpp"
#include "verification/golden/tolerance/tolerance.hpp"

namespace normproof::verification::golden::tolerance {

/// Widens the error bounds of sigmoid, log_sigmoid, softplus, tanh and mish for other published
/// formulas of these functions. Other operations keep their bounds.
///
/// Source    docs/error_analysis.md, section 8
/// Computes  adds the errors of these variants to the bounds.
///           sigmoid, log_sigmoid, softplus: a sigmoid 1/(1 + exp(-x)) whose exponential overflows,
///           and a backward pass that uses y as stored in c.dtype.
///           log_sigmoid, softplus, mish: log(1 + exp(x)), which loses the digits of small results.
///           tanh: a backward pass that uses y as stored in c.dtype.
///           With Formula::stable, the bounds of small results are relative to the results.
/// Requires  as add_function_allowances; `arithmetic` is that of the candidate
void add_activation_allowances(const Case& c, const checks::evaluation::FunctionInputs& inputs,
                               const ref::tensor::NamedTensors<double>& values,
                               const ref::numeric::Arithmetic& arithmetic,
                               Accumulation accumulation, Formula formula,
                               ref::tensor::NamedTensors<double>& bound);

/// Whether a stable formula of the activation has a smaller bound than the published one.
bool has_stable_formula(const Case& c);

}  // namespace normproof::verification::golden::tolerance
