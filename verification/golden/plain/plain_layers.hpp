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

/// Choices that a correct implementation is free in: no style may ever be rejected.
struct Style {
  enum class Sum { forwards, backwards, pairwise, strided, two_stages, in_double };
  Sum sum = Sum::forwards;
  bool welford = false;     ///< the variance by Welford's recurrence; softmax in one pass, whose
                            ///< sum is scaled again where the largest element grows
  bool reciprocal = false;  ///< times 1/n for a division by n
  bool divide = false;      ///< a division by the root for a product with rstd, also of the scores
                            ///< of attention by sqrt(d_k); softmax as
                            ///< exp(log_softmax), erf by erfc, the gate by exp
  bool folded = false;      ///< gamma rstd as one factor, and a shift: right for Formula::folded
  bool powers = false;      ///< exp(x) as 2^(x log2 e), and beta^t as a power, not a product
  bool from_y = false;      ///< a function's backward takes y as it was stored, and a norm the sum
                            ///< of x and a residual
  bool merged = false;      ///< Welford's recurrence over blocks of 16, which are merged
  bool shifted = false;     ///< the variance as E[(x-k)^2] - E[x-k]^2, k the first element
  bool fused = false;       ///< gamma x_hat + beta and sums of squares by fused multiply-add
  bool flushed = false;     ///< what is below the least normal number, of the arithmetic or of
                            ///< the dtype, is 0 where it is stored: right where that is declared
  int units = 0;            ///< quotients and reciprocal roots are off by as many units in the last
                            ///< place, 2 at most, always in the direction of the sign
  bool one_pass = false;    ///< the variance as E[x^2] - E[x]^2: right for Formula::one_pass alone
  /// A format of 16 bits that every operation rounds to; absent: that of the case.
  std::optional<Accumulation> accumulation = {};
};

/// Every operation of the corpus once more, in plain loops and in the arithmetic of a
/// case: float64, or float32 with what is stored rounded to the dtype. It shares no code with
/// ref/norm and ref/ops, so that what a mutation breaks is the formula and nothing else; its terms
/// pass `sites`.
///
/// Source    docs/specification/norms.md, docs/specification/activations.md,
///           docs/specification/encoder.md
/// Computes  the outputs and the state of each step, and the statistics of the layers, as a
///           candidate would answer
/// Requires  a case that certify takes, and its inputs
std::vector<StoredTensor> run_plain(const Case& c, const EvalInputs& inputs, const Style& style,
                                    Sites& sites);

/// How far a layer that computes as `style` may be from the exact result, in any order of its sums;
/// with a mutation, from the exact result of the mistaken formula.
///
/// Source    docs/error_analysis.md, section 8: any_order_error through the plain formula
/// Requires  c is of a layer, or of a function that adds a residual; `inputs` are finite ones of it
std::map<std::string, std::vector<double>> plain_errors(const Case& c, const EvalInputs& inputs,
                                                        const Style& style,
                                                        const ref::numeric::Arithmetic& arithmetic,
                                                        const Mutation& mutation = {});

}  // namespace normproof::verification::golden::plain
