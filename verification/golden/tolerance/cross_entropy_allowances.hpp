#pragma once

#include "verification/golden/tolerance/function_allowances.hpp"

namespace normproof::verification::golden::tolerance {

/// What kernels of cross_entropy may be off beyond the any-order bound of the reference's formula.
///
/// Source    docs/derivations/error_analysis.md, section 8
/// Computes  bound += log-probabilities as x - log_sum_exp, that one a number of the accumulation
/// Requires  bound: the any-order bound of c for `accumulation`; inputs: finite ones of c
void add_cross_entropy_allowances(const Case& c, const checks::evaluation::FunctionInputs& inputs,
                                  Accumulation accumulation,
                                  ref::tensor::NamedTensors<double>& bound);

}  // namespace normproof::verification::golden::tolerance
