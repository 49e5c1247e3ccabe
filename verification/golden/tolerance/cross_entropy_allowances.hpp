#pragma once

#include "verification/golden/tolerance/function_allowances.hpp"

namespace normproof::verification::golden::tolerance {

/// Widens the error bounds of cross_entropy for another computation that kernels use. The bounds
/// are derived from the formula of the reference.
///
/// Source    docs/error_analysis.md, section 8
/// Computes  adds the error of log-probabilities that are computed as x - log_sum_exp, where
///           log_sum_exp is rounded to the accumulation format
/// Requires  `bound` contains the error bound of c for sums in any order in `accumulation`;
///           `inputs` are the finite inputs of c
void add_cross_entropy_allowances(const Case& c, const checks::evaluation::FunctionInputs& inputs,
                                  Accumulation accumulation,
                                  ref::tensor::NamedTensors<double>& bound);

}  // namespace normproof::verification::golden::tolerance
