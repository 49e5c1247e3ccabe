#pragma once

#include "ref/model/norm_options.hpp"
#include "ref/tensor/named_tensors.hpp"
#include "verification/checks/evaluation/inputs.hpp"
#include "verification/golden/corpus/arithmetic.hpp"
#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::tolerance {

using corpus::Accumulation;
using corpus::Case;

/// The point at which a norm rounds to the dtype of x, if it computes in a format with more digits.
/// - `after_gamma`: y alone is rounded, after gamma and beta
/// - `before_gamma`: x_hat is rounded too, and gamma and beta are applied in the dtype of x, as in
///   the RMSNorm of Llama
using ref::model::CastOrder;

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

/// Returns the factor by which allow_cast_before_gamma multiplies the sum of |grad_y x_hat|. It is
/// 0 if grad_gamma gets no allowance.
double allowance_of_cast_x_hat(const Case& c, Accumulation accumulation);

}  // namespace normproof::verification::golden::tolerance
