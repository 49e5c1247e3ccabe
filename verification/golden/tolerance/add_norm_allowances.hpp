#pragma once

#include "verification/checks/evaluation/inputs.hpp"
#include "verification/golden/tolerance/tolerance.hpp"

namespace normproof::verification::golden::tolerance {

/// What a norm of x + residual in 16 bits may be off where the sum was stored: the norm may see the
/// sum itself or what was stored of it, and a backward the stored one beside statistics of either.
///
/// Source    docs/derivations/error_analysis.md, section 8
/// Computes  the larger one of the bound and, for each of these, its distance from the exact result
///           with its own bound; grad_x += the gradient of the norm, stored before grad_sum is
///           added; of rms_norm y += gamma x_hat, stored before beta is added
/// Requires  c adds a residual; bound: the any-order bound of c for `accumulation`, which flushes
///           subnormal numbers or not
void add_add_norm_allowances(const Case& c, const checks::evaluation::FunctionInputs& inputs,
                             Accumulation accumulation, ref::tensor::NamedTensors<double>& bound,
                             bool flushes = false);

}  // namespace normproof::verification::golden::tolerance
