#pragma once

#include <string>

#include "ref/tensor/named_tensors.hpp"
#include "verification/checks/evaluation/inputs.hpp"
#include "verification/golden/corpus/arithmetic.hpp"
#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::tolerance {

using corpus::Accumulation;
using corpus::Case;

/// The values that a norm rounds to the dtype of x, if it computes in a format with more digits.
enum class CastOrder {
  after_gamma,       ///< y alone, after gamma and beta
  before_gamma,      ///< x_hat too; gamma and beta are applied in the dtype of x, as in Llama
  stored_statistics  ///< the mean and rstd too, from which the backward computes
};
const char* to_string(CastOrder order);
/// Returns the order of that name.
/// Throws    UsageError with the nearest known name
CastOrder parse_cast_order(const std::string& name);

/// Whether the operation is a norm of rows, for whose statistics allow_stored_statistics has
/// allowances: layer_norm, rms_norm and the norms of sums.
bool is_norm_of_rows(const Case& c);

/// Widens the bounds of a norm for an implementation with CastOrder::before_gamma whose gradients
/// are those of automatic differentiation. Nothing changes if storing does not round, or if the
/// operation has no gamma.
///
/// Source    docs/error_analysis.md, section 8, "The order of casts"
/// Computes  for u, the unit roundoff of the dtype, h = gamma x_hat and g = gamma grad_y, and the
///           mean over the row:
///           y, and sums with beta: u (2 + u) (|h| + bound);
///           grad_gamma: u (2 + u) times the sum of |grad_y x_hat|;
///           grad_x: u r (|g| + mean |g| + |x_hat| mean |g x_hat|), without mean |g| if the norm
///           subtracts no mean.
///           The gradients have these allowances for layer_norm, rms_norm and the norms of sums;
///           y has it for every layer with gamma
void allow_cast_before_gamma(const Case& c, const checks::evaluation::EvalInputs& inputs,
                             const ref::tensor::NamedTensors<double>& values,
                             Accumulation accumulation, ref::tensor::NamedTensors<double>& bound);

/// Widens the bounds of a norm of rows for an implementation with CastOrder::stored_statistics.
/// Nothing changes if storing does not round.
///
/// Source    docs/error_analysis.md, section 8, "The order of casts"
/// Computes  for the error e = u (1 + u) (r |mean| + |x_hat|) of x_hat, g = gamma grad_y, and the
///           mean over the row:
///           y: |gamma| e;  grad_gamma: the sum of |grad_y| e;
///           grad_x: u r (|g| + mean |g| + |x_hat| c) + (1 + u) r (e c + (|x_hat| + e) mean(|g| e))
///           for c = mean |g x_hat|, without mean |g| and |mean| if the norm subtracts no mean
void allow_stored_statistics(const Case& c, const checks::evaluation::EvalInputs& inputs,
                             const ref::tensor::NamedTensors<double>& values,
                             Accumulation accumulation, ref::tensor::NamedTensors<double>& bound);

/// Returns the factor by which allow_cast_before_gamma multiplies the sum of |grad_y x_hat|. It is
/// 0 if grad_gamma gets no allowance.
double allowance_of_cast_x_hat(const Case& c, Accumulation accumulation);

}  // namespace normproof::verification::golden::tolerance
