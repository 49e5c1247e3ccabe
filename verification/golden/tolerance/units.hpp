#pragma once

#include "ref/numeric/operation_error.hpp"

/// Error limits of a candidate's operations, as multiples of the unit roundoff u of its arithmetic.
/// All of them follow from the limit for one operation. The derivations are in
/// docs/error_analysis.md, section 8.
namespace normproof::verification::golden::tolerance {

/// The largest size of one unit in the last place of a number x, as a multiple of `u |x|`.
inline constexpr double kUlpError = 2;

/// The error limit of one operation other than an addition.
inline constexpr double kOperationError = ref::numeric::kMaxOperationError;

/// The error limit of an input that is multiplied by its scale, including the rounding of the
/// scale.
inline constexpr double kScaledInputError = kOperationError + kUlpError;

/// The error limit of the conversion of a running statistic. A conversion multiplies by n/(n-1) or
/// its reciprocal, and uses a weight `a` where the reference uses `1 - a`.
inline constexpr double kConvertedStatisticError = 3 * kOperationError;

/// The error limit of 1 - s, in which `s = 1/(1 + exp(-x))` is a sigmoid. It consists of the errors
/// of an exponential, a quotient and two sums.
inline constexpr double kPublishedSigmoidError = 2 * kOperationError + kUlpError;

/// The error limit of log(1 + exp(v)) beyond that of its logarithm, in which the errors of the
/// exponential and of the sum are divided by 1 + exp(v).
inline constexpr double kPublishedSoftplusError = kOperationError + kUlpError;

/// The factor between the bound of a model's output that follows from the operations of the
/// reference, and the bound for implementations that compute in equally accurate ways.
inline constexpr double kOtherFormsOfModels = 4;

/// Returns a factor that covers the rounding errors of `operations` operations.
constexpr double operation_slack(double operations, double u) {
  return 1 + operations * kOperationError * u;
}

}  // namespace normproof::verification::golden::tolerance
