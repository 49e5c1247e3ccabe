#pragma once

#include "verification/golden/tolerance/function_allowances.hpp"

namespace normproof::verification::golden::tolerance {

/// Widens the any-order bound of the reference's cross_entropy formula for what kernels do.
///
/// Source    docs/error_analysis.md, section 8
/// Computes  bound += the error of log-probabilities computed as x - log_sum_exp, with log_sum_exp
///           rounded to the accumulation format
/// Requires  bound holds the any-order bound of c for `accumulation`; inputs are the finite inputs
///           of c
void add_cross_entropy_allowances(const Case& c, const checks::evaluation::FunctionInputs& inputs,
                                  Accumulation accumulation,
                                  ref::tensor::NamedTensors<double>& bound);

}  // namespace normproof::verification::golden::tolerance
