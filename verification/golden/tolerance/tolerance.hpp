#pragma once

#include "ref/tensor/named_tensors.hpp"
#include "verification/checks/evaluation/inputs.hpp"
#include "verification/golden/certify/row_blocks.hpp"
#include "verification/golden/corpus/arithmetic.hpp"
#include "verification/golden/corpus/case.hpp"
#include "verification/golden/corpus/scale_rounding.hpp"
#include "verification/golden/tolerance/cast_order.hpp"

namespace normproof::verification::golden::tolerance {

using corpus::Accumulation;
using corpus::Case;
using ref::io::DType;

/// The class of formulas that a candidate uses, with mean m and reciprocal standard deviation r.
/// - `stable`: like `two_pass`, and activations keep their relative accuracy in the tails, where
///   published formulas such as `x/(1 + exp(-x))`, `x (1 + erf)/2` and `log(1 + exp(x))` lose all
///   digits.
/// - `two_pass`: differences are computed first, as in `(x - m) r`, and the variance is the mean of
///   squared distances from the mean. Equally accurate ways to compute the variance are included
///   (Welford, a tree of partial variances).
/// - `folded`: a factor may be multiplied into a difference, as in `x r - m r`, which loses digits
///   to cancellation.
/// - `one_pass`: like `folded`, and the variance is `E[x^2] - E[x]^2`.
enum class Formula { stable, two_pass, folded, one_pass };
inline constexpr Formula kFormulas[] = {Formula::stable, Formula::two_pass, Formula::folded,
                                        Formula::one_pass};
std::string_view to_string(Formula formula);
/// Returns the formula of that name.
/// Throws    UsageError with the nearest known name
Formula parse_formula(std::string_view name);

/// Whether the operation computes a variance, so that a one-pass formula exists.
bool computes_variance(const Case& c);
/// Whether the operation can be computed by the formula. The formulas `two_pass` and `folded` exist
/// for every operation, `one_pass` for one that computes a variance, and `stable` for the
/// activations of has_stable_formula.
bool has_formula(const Case& c, Formula formula);

/// The largest distance of a correct implementation's output from the exact result, for each
/// element of each output of a case.
///
/// Source    docs/error_analysis.md, section 8: sums in any order, 2 ulps of error in any other
///           operation, then one rounding to the dtype in which the output is stored. If all
///           operations of a case are exact, sums and products have no error, unless `accumulation`
///           is coarser than usual
/// Computes  the bound of each output for `accumulation`, `formula` and `cast_order`. A bound for
///           one formula is at most the bound for the formulas listed after it in Formula. The
///           bounds for `one_pass` and `folded` are equal if the layer is not centered.
///           An infinite bound accepts any value. It has one of two reasons: correct
///           implementations differ in whether a NaN of the inputs reaches the element; or the
///           element may overflow the output's dtype because the arithmetic has fewer digits than
///           that dtype. The bound of an output with a given scale is in units of that scale. The
///           bound of an output with block scales ignores the scales
struct Tolerance {
  ref::tensor::NamedTensors<double> bound;
  /// Whether subnormal numbers may be flushed to 0, in operations and in storage.
  bool flushes = false;
  /// The error that one rounding of every input and option to the dtype of the case may cause. A
  /// smaller bound would not be useful, because the inputs themselves are not known better.
  ref::tensor::NamedTensors<double> input_sensitivity;
  /// How the candidate rounds the scales of blocks.
  corpus::ScaleRounding scale_rounding = corpus::ScaleRounding::floor;
};
/// How the bounds of a case with many rows are derived, in the blocks of certify::RowBlocks.
struct BlockOptions {
  int threads = 1;  ///< the number of blocks at a time; it does not change the bounds
  certify::Progress progress = {};  ///< called between blocks, on the caller's thread
  /// Whether only the bounds of the outputs that are sums over rows are derived. Their input
  /// sensitivity is 0 then. Requires a case with independent rows.
  bool only_sums = false;
};

/// Derives the bounds in blocks. If there are several, the bound of a sum over rows differs from
/// the bound in one block by the rounding errors of the bound itself.
Tolerance derive_tolerance(const Case& c, Accumulation accumulation,
                           Formula formula = Formula::two_pass, bool flushes = false,
                           CastOrder cast_order = CastOrder::after_gamma,
                           const BlockOptions& block_options = {});
/// Overload for a case whose inputs have been read (recipes::inputs_of). It uses one block.
Tolerance derive_tolerance(const Case& c, checks::evaluation::EvalInputs inputs,
                           Accumulation accumulation, Formula formula = Formula::two_pass,
                           bool flushes = false, CastOrder cast_order = CastOrder::after_gamma);

/// Returns the arithmetic that is assumed for a candidate. If the candidate does not declare that
/// it flushes subnormal numbers to 0, an operation with a subnormal result is off by at most 2
/// ulps, like any other operation.
ref::numeric::Arithmetic arithmetic_of_candidate(Accumulation accumulation, bool flushes);

/// Returns `bound` increased by the error of rounding to `stored`, the dtype in which an output is
/// stored. The exact value is `exact + remainder`. If the dtype can represent the exact value, the
/// result is at most twice `bound`. For a count (int64), the result is 0. For an 8-bit dtype, each
/// number within `bound` of the exact value is rounded to the dtype, with saturation; the result is
/// the largest distance of such a rounded number from the exact value. If `flushes` is set, a
/// subnormal number of the dtype may be stored as 0.
double with_storage_rounding(double bound, double exact, double remainder, DType stored,
                             bool flushes = false);

}  // namespace normproof::verification::golden::tolerance
