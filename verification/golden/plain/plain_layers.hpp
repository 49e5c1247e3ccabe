#pragma once

#include <map>
#include <optional>

#include "ref/model/operation_inputs.hpp"
#include "ref/numeric/any_order_error.hpp"
#include "verification/golden/corpus/arithmetic.hpp"
#include "verification/golden/corpus/case.hpp"
#include "verification/golden/corpus/scale_rounding.hpp"
#include "verification/golden/mutations/mutation.hpp"

namespace normproof::verification::golden::plain {

using mutations::Mutation;
using mutations::MutationOperator;
using mutations::Sites;

using corpus::Accumulation;
using corpus::Case;
using EvalInputs = ref::model::OperationInputs;
using ref::io::StoredTensor;

/// Choices that a correct implementation is free to make. The gate must accept every style, except
/// where the comment of a member says otherwise.
struct Style {
  enum class Sum { forwards, backwards, pairwise, strided, two_stages, in_double };
  Sum sum = Sum::forwards;
  /// Whether the variance is computed by Welford's recurrence. In softmax, this flag selects a
  /// single pass that rescales the sum whenever the maximum grows.
  bool welford = false;
  bool reciprocal = false;  ///< multiply by 1/n instead of dividing by n
  /// Whether values are divided by a square root, such as sqrt(d_k) in attention, instead of
  /// multiplied by its reciprocal. The flag also makes softmax use exp(log_softmax), erf use erfc,
  /// and gates use exp.
  bool divide = false;
  /// Whether y is computed by multiplying x by `gamma rstd` and adding a shift. This style is too
  /// inaccurate for a candidate that declares Formula::two_pass.
  bool folded = false;
  /// Whether exp(x) is computed as `2^(x log2 e)`. The flag also makes beta^t use a power function
  /// instead of a product.
  bool powers = false;
  /// Whether the backward pass of a function uses the stored y. The backward pass of a norm of x +
  /// residual then uses the stored sum.
  bool from_y = false;
  bool merged = false;  ///< merge blocks of 16 elements in Welford's recurrence
  /// Whether the variance is computed as `E[(x-k)^2] - E[x-k]^2`, with k the first element.
  bool shifted = false;
  bool fused = false;  ///< compute gamma x_hat + beta and sums of squares by fused multiply-add
  /// Whether a result is replaced by 0 when it is stored, if it is subnormal in the arithmetic or
  /// in the dtype. This is correct only for a candidate that declares it.
  bool flushed = false;
  /// The error of every quotient and reciprocal root, in ulps, from -2 to 2.
  int units = 0;
  /// Whether the variance is computed as `E[x^2] - E[x]^2`. This style is accurate enough only for
  /// a candidate that declares Formula::one_pass.
  bool one_pass = false;
  /// The 16-bit format to which every operation rounds. If absent, operations use the usual
  /// accumulation format of the dtype of the case.
  std::optional<Accumulation> accumulation = {};
  /// How the scales of blocks are rounded. The gate accepts only the one that is declared.
  corpus::ScaleRounding scale_rounding = corpus::ScaleRounding::floor;
};

/// Runs any operation of the corpus in the plain implementation, which is written with simple loops
/// and has sites for injected errors. It computes in float64, or in float32 with results rounded to
/// the dtype. It shares no code with ref/norm and ref/ops, so that a mutation changes only this
/// implementation.
///
/// Source    docs/specification/norms.md, docs/specification/activations.md,
///           docs/specification/encoder.md
/// Computes  the outputs and the state of each step, and the statistics of the layers, as a
///           candidate would return them
/// Requires  a case that certify accepts, and its inputs
std::vector<StoredTensor> run_plain(const Case& c, const EvalInputs& inputs, const Style& style,
                                    Sites& sites);

/// Returns a bound for each element of each output: the largest distance from the exact result of
/// an implementation that computes in the given style, for any order of its sums. With a mutation,
/// the exact result is that of the mutated formula.
///
/// Source    docs/error_analysis.md, section 8: any_order_error through the plain formula
/// Requires  the operation of c is a layer or a norm of x + residual; `inputs` are its finite
///           inputs
std::map<std::string, std::vector<double>> plain_error_bounds(
    const Case& c, const EvalInputs& inputs, const Style& style,
    const ref::numeric::Arithmetic& arithmetic, const Mutation& mutation = {});

}  // namespace normproof::verification::golden::plain
