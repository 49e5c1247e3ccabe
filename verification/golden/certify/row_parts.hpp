#pragma once

#include <vector>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::certify {

using corpus::Case;
using ref::io::StoredTensor;

/// Splits a case into parts that can be certified separately: consecutive rows (of the first axis
/// of x) of an operation that computes each row independently, such as LayerNorm without gradients.
///
/// Computes  `count` parts, or one per row if there are fewer rows; the case itself if its rows
///           depend on each other through a statistic, a state or the gradient of a parameter
std::vector<Case> row_parts(const Case& c, std::size_t count);

/// Concatenates the outputs of the parts along the first axis.
///
/// Requires  each part has the same names and dtypes, and shapes that differ only in the first
///           extent
std::vector<StoredTensor> join_parts(const std::vector<std::vector<StoredTensor>>& parts);

}  // namespace normproof::verification::golden::certify
