#pragma once

#include <cstddef>

#include "verification/golden/tolerance/tolerance.hpp"

namespace normproof::verification::checks::regression {

using golden::corpus::DType;
using golden::corpus::StoredTensor;

/// The errors of an output relative to the exact values. They are rounded to six digits, because
/// they are only compared with the errors in other recordings.
struct ErrorStatistics {
  std::size_t judged = 0;                ///< elements with a finite bound
  double max_ulp = 0, mean_ulp = 0;      ///< in units in the last place of the output's dtype
  double max_share = 0, mean_share = 0;  ///< error / bound for the expected dtype

  bool operator==(const ErrorStatistics&) const = default;
};

/// Computes the errors of an output.
/// Computes  over the elements that have a bound: the ratio of |got - (high + low)| to the bound
///           and, if the exact value is larger than its bound, the error in units in its last place
///           (ulps). An exact value that is smaller than its bound has no error in ulps. Both
///           errors are infinite if only one of output and exact value is finite
/// Requires  (C1) answer, high, low (if there is one) and bound have the same number of elements
ErrorStatistics error_statistics(const StoredTensor& answer, const StoredTensor& high,
                                 const StoredTensor* low, const ref::tensor::Tensor<double>& bound);

enum class Direction { towards, away, neither };

/// Compares two error statistics by their maximum and mean ratio to the bound. Returns `towards` if
/// at least one ratio has shrunk and none has grown, `away` in the opposite case.
Direction direction(const ErrorStatistics& before, const ErrorStatistics& after);

}  // namespace normproof::verification::checks::regression
