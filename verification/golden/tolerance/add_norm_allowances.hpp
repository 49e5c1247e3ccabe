#pragma once

#include "verification/checks/evaluation/inputs.hpp"
#include "verification/golden/tolerance/tolerance.hpp"

namespace normproof::verification::golden::tolerance {

/// Widens the error bounds of a norm of x + residual for kernels that store the sum in 16 bits. The
/// norm may use the exact sum or the stored sum. A backward pass may combine the stored sum with
/// statistics of the exact sum or of the stored sum.
///
/// Source    docs/error_analysis.md, section 8
/// Computes  for each of these variants: the maximum of the old bound and a new bound. The new
///           bound is the variant's distance from the exact result plus the error bound of the
///           variant. The bound of grad_x also includes the rounding of the norm's gradient, which
///           may be stored before grad_sum is added. The bound of y of rms_norm also includes the
///           rounding of gamma x_hat, which may be stored before beta is added
/// Requires  the operation of c adds a residual; `bound` contains the error bound of c for sums in
///           any order in `accumulation`; `flushes` says whether the candidate flushes subnormal
///           numbers to 0
void add_add_norm_allowances(const Case& c, const checks::evaluation::FunctionInputs& inputs,
                             Accumulation accumulation, ref::tensor::NamedTensors<double>& bound,
                             bool flushes = false);

}  // namespace normproof::verification::golden::tolerance
