#pragma once

#include <map>
#include <optional>

#include "ref/model/operation_inputs.hpp"
#include "ref/numeric/any_order_error.hpp"
#include "verification/golden/corpus/arithmetic.hpp"
#include "verification/golden/corpus/case.hpp"
#include "verification/golden/mutations/mutation.hpp"

namespace normproof::verification::golden::plain {

using mutations::Mutation;
using mutations::MutationOperator;
using mutations::Sites;

using corpus::Accumulation;
using corpus::Case;
using EvalInputs = ref::model::OperationInputs;
using ref::io::StoredTensor;

/// Choices that a correct implementation is free to make: no style may be rejected, except where
/// its comment says so.
struct Style {
  enum class Sum { forwards, backwards, pairwise, strided, two_stages, in_double };
  Sum sum = Sum::forwards;
  /// The variance by Welford's recurrence; softmax in one pass, whose sum is rescaled whenever the
  /// maximum grows.
  bool welford = false;
  bool reciprocal = false;  ///< multiply by 1/n instead of dividing by n
  /// Divide by the root instead of multiplying by rstd, also for the sqrt(d_k) of attention;
  /// softmax as exp(log_softmax), erf by erfc, the gate by exp.
  bool divide = false;
  /// Multiply x by gamma rstd, then add a shift: not correct for Formula::two_pass.
  bool folded = false;
  bool powers = false;  ///< exp(x) as 2^(x log2 e), and beta^t as a power, not a product
  /// The backward of a function uses the stored y; a norm uses the stored sum of x and a residual.
  bool from_y = false;
  bool merged = false;   ///< Welford's recurrence over blocks of 16, which are merged
  bool shifted = false;  ///< the variance as E[(x-k)^2] - E[x-k]^2, k the first element
  bool fused = false;    ///< gamma x_hat + beta and sums of squares by fused multiply-add
  /// Results that are subnormal in the arithmetic or in the dtype become 0 when they are stored:
  /// correct only for a candidate that declares this.
  bool flushed = false;
  /// The error of quotients and reciprocal roots in ulps, from -2 to 2, always in this direction.
  int units = 0;
  /// The variance as E[x^2] - E[x]^2: correct for Formula::one_pass only.
  bool one_pass = false;
  /// The 16-bit format to which every operation rounds; if absent, that of the case.
  std::optional<Accumulation> accumulation = {};
};

/// Runs any operation of the corpus in plain loops, in the arithmetic of the case: float64, or
/// float32 with stored values rounded to the dtype. It shares no code with ref/norm and ref/ops, so
/// that a mutation changes only the formula. Its terms pass through `sites`.
///
/// Source    docs/specification/norms.md, docs/specification/activations.md,
///           docs/specification/encoder.md
/// Computes  the outputs and the state of each step, and the statistics of the layers, as a
///           candidate would return them
/// Requires  a case that certify accepts, and its inputs
std::vector<StoredTensor> run_plain(const Case& c, const EvalInputs& inputs, const Style& style,
                                    Sites& sites);

/// Returns bounds on the distance between a layer that computes in the given style and the exact
/// result, for any order of its sums. With a mutation, the distance is from the exact result of the
/// mistaken formula.
///
/// Source    docs/derivations/error_analysis.md, section 8: any_order_error through the plain
///           formula
/// Requires  c is of a layer, or of a function that adds a residual; `inputs` are its
///           finite inputs
std::map<std::string, std::vector<double>> plain_error_bounds(
    const Case& c, const EvalInputs& inputs, const Style& style,
    const ref::numeric::Arithmetic& arithmetic, const Mutation& mutation = {});

}  // namespace normproof::verification::golden::plain
