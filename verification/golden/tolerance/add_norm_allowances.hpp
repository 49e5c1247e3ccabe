#pragma once

#include <vector>

#include "ref/numeric/any_order_error.hpp"
#include "verification/checks/evaluation/inputs.hpp"
#include "verification/golden/tolerance/tolerance.hpp"

namespace normproof::verification::golden::tolerance {

/// The sums over rows, such as grad_gamma, as each of several other implementations computes them.
using OtherSums = std::vector<ref::tensor::NamedTensors<ref::numeric::any_order_error>>;

/// Returns the error bound of an element for both `exact` and another computation of it. The result
/// is at least `bound`. A small factor covers the rounding errors of both computations in `double`.
double bound_of_both(double bound, const ref::numeric::any_order_error& exact,
                     const ref::numeric::any_order_error& other);

/// Widens the error bounds of a norm of x + residual for kernels that store the sum in 16 bits. The
/// norm may use the exact sum or the stored sum. A backward pass may combine the stored sum with
/// statistics of the exact sum or of the stored sum.
///
/// Source    docs/error_analysis.md, section 8
/// Computes  for each of these variants: the maximum of the old bound and a new bound. The new
///           bound is the variant's distance from the exact result plus the error bound of the
///           variant. The bound of grad_x also includes the rounding of the norm's gradient, which
///           may be stored before grad_sum is added. The bound of y of rms_norm also includes the
///           rounding of gamma x_hat, which may be stored before beta is added.
///           If c is a block of rows, the distances of several blocks may cancel. With
///           `sums_of_block`, the bounds of the sums over rows are therefore unchanged, and the
///           sums of each variant are appended to it
/// Requires  the operation of c adds a residual; `bound` contains the error bound of c for sums in
///           any order in `accumulation`; `flushes` says whether the candidate flushes subnormal
///           numbers to 0
void add_add_norm_allowances(const Case& c, const checks::evaluation::FunctionInputs& inputs,
                             Accumulation accumulation, ref::tensor::NamedTensors<double>& bound,
                             bool flushes = false, OtherSums* sums_of_block = nullptr);

}  // namespace normproof::verification::golden::tolerance
