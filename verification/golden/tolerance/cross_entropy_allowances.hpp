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

/// The dtype in which a candidate returns the loss of 16-bit logits.
/// - `wide`: float32
/// - `logits`: the dtype of the logits. Each operation may store its result in it, too, as in a
///   library whose loss is log_softmax followed by a weighted mean
enum class LossDtype { wide, logits };
inline constexpr LossDtype kLossDtypes[] = {LossDtype::wide, LossDtype::logits};
std::string_view to_string(LossDtype dtype);
/// Returns the dtype of that name.
/// Throws    UsageError with the nearest known name
LossDtype parse_loss_dtype(std::string_view name);

/// Widens the error bounds of cross_entropy for LossDtype::logits. Nothing changes for another
/// operation, or if storing does not round.
///
/// Source    docs/error_analysis.md, section 8, "The dtype of a loss"
/// Computes  for each log-probability p, adds the error u (|p| + e) of storing it in the dtype of
///           the logits, with its unit roundoff u and the error e of p, and at least half the
///           smallest subnormal number; then the error of six more results that are stored in this
///           dtype, in the loss and in the gradient
void allow_stored_log_probabilities(const Case& c, Accumulation accumulation,
                                    ref::tensor::NamedTensors<double>& bound);

}  // namespace normproof::verification::golden::tolerance
