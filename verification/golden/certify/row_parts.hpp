#pragma once

#include <vector>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::certify {

using corpus::Case;
using ref::io::StoredTensor;

/// Splits a case into parts that can be certified separately. Each part consists of consecutive
/// rows; a row is one index of the first axis of x. A case can be split if its operation computes
/// each row independently, such as LayerNorm without gradients.
///
/// Computes  `count` parts, or one part per row if there are fewer than `count` rows. If rows
///           depend on each other through a statistic, a state or the gradient of a parameter, the
///           only part is the whole case
std::vector<Case> split_into_row_parts(const Case& c, std::size_t count);

/// Concatenates the outputs of the parts along the first axis.
///
/// Requires  the parts have the same tensors, with the same names and dtypes, and their shapes
///           differ only in the first extent
std::vector<StoredTensor> join_parts(const std::vector<std::vector<StoredTensor>>& parts);

}  // namespace normproof::verification::golden::certify
