#pragma once

#include "ref/numeric/operation_error.hpp"

/// Bounds of the errors by which the published formula of gelu_tanh may be farther off than the
/// formula of gelu_tanh in activation.hpp. In `x (1 + tanh)/2`, the sum cancels for negative x.
///
/// Source    docs/error_analysis.md, section 8, Allowances for other forms
/// Requires  `u` is the unit roundoff; `x` and `grad_y` are magnitudes
namespace normproof::ref::ops {

/// Returns a bound for gelu_tanh. With t = tanh(a(x)), the product `x (1 + t) / 2` has an
/// additional error of at most `5/2 u |x|`.
constexpr double gelu_tanh_cancellation(double u, double x) {
  return numeric::kMaxOperationError * u * x;
}

/// Returns a bound for gelu_tanh_backward. The product `x (1 - t^2) a'(x) / 2` has an additional
/// error of at most `3 u |x a'(x)|`.
constexpr double gelu_tanh_backward_cancellation(double u, double x, double grad_y) {
  constexpr double kTwiceCubic = 6 * 0.044715, kRoot = 0.8;  // kRoot is more than sqrt(2/pi)
  const double slope = kRoot * (1 + kTwiceCubic * x * x);
  return u * (numeric::kMaxOperationError + numeric::kMaxOperationError * x * slope) * grad_y;
}

}  // namespace normproof::ref::ops
