#pragma once

#include "verification/checks/evaluation/inputs.hpp"
#include "verification/golden/tolerance/tolerance.hpp"

namespace normproof::verification::golden::tolerance {

/// Widens the bounds of a norm of x + residual for kernels that store the sum in 16 bits: the norm
/// may see either the exact sum or the stored one, and a backward may combine the stored sum with
/// statistics of either.
///
/// Source    docs/error_analysis.md, section 8
/// Computes  for each of these variants: the maximum of the bound and the variant's distance from
///           the exact result plus the variant's bound. grad_x also gets the rounding of the norm's
///           gradient that is stored before grad_sum is added; y of rms_norm also gets that of
///           gamma x_hat, stored before beta is added
/// Requires  c adds a residual; bound holds the any-order bound of c for `accumulation`; flushes
///           says whether the candidate flushes subnormal numbers
void add_add_norm_allowances(const Case& c, const checks::evaluation::FunctionInputs& inputs,
                             Accumulation accumulation, ref::tensor::NamedTensors<double>& bound,
                             bool flushes = false);

}  // namespace normproof::verification::golden::tolerance
