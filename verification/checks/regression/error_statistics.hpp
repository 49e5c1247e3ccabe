#pragma once

#include <cstddef>

#include "verification/golden/tolerance/tolerance.hpp"

namespace normproof::verification::checks::regression {

using golden::corpus::DType;
using golden::corpus::StoredTensor;

/// How far an answer is from the exact values. Numbers of six digits: they are compared with those
/// of other recordings, and decide nothing else.
struct ErrorStatistics {
  std::size_t judged = 0;                ///< elements for which the bound claims something
  double max_ulp = 0, mean_ulp = 0;      ///< in units in the last place of the answer's dtype
  double max_share = 0, mean_share = 0;  ///< of the bound, stored in the dtype of what is expected

  bool operator==(const ErrorStatistics&) const = default;
};

/// Computes  over the judged elements, of |got - (high + low)|: its share of the bound; and, where
///           the exact value is larger than its bound, the error in units in its last place: what
///           cancels below that has no last place. Infinite where a finite answer stands for NaN,
///           or one that is not finite for a number
/// Requires  (C1) answer, high, low (if there is one) and bound have as many elements
ErrorStatistics error_statistics(const StoredTensor& answer, const StoredTensor& high,
                                 const StoredTensor* low, const ref::tensor::Tensor<double>& bound);

enum class Direction { towards, away, neither };

/// towards: neither share of the bound, the largest nor the mean, has grown, and one has shrunk.
Direction direction(const ErrorStatistics& before, const ErrorStatistics& after);

}  // namespace normproof::verification::checks::regression
