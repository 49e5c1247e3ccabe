#pragma once

#include "ref/numeric/operation_error.hpp"

/// Errors of a candidate's operations, in multiples of the unit roundoff u of its arithmetic. They
/// all follow from the limit for one operation; docs/derivations/error_analysis.md, section 8, has
/// the derivations.
namespace normproof::verification::golden::tolerance {

/// A unit in the last place, in the worst case.
inline constexpr double kUlp = 2;

/// One operation other than an addition.
inline constexpr double kOperation = ref::numeric::kMaxOperationError;

/// A product of an input with its scale, and the rounding of the scale.
inline constexpr double kScaledInput = kOperation + kUlp;

/// The conversion of a running statistic: a factor n/(n-1) or its reciprocal, and a weight a for
/// 1 - a.
inline constexpr double kConvertedStatistic = 3 * kOperation;

/// 1 - s of a sigmoid s = 1/(1 + exp(-x)): an exponential, a quotient and two sums.
inline constexpr double kPrintedSigmoid = 2 * kOperation + kUlp;

/// Returns the factor that covers the roundings of `operations` operations.
constexpr double slack_of_operations(double operations, double u) {
  return 1 + operations * kOperation * u;
}

}  // namespace normproof::verification::golden::tolerance
