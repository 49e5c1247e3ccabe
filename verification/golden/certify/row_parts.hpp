#pragma once

#include <vector>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::certify {

using corpus::Case;
using ref::io::StoredTensor;

/// The question in parts that may be certified apart: consecutive rows (of the first axis of x) of
/// an operation that computes each row alone, as LayerNorm without a gradient does.
///
/// Computes  `count` parts or as many as there are rows; the question itself where rows meet: in a
///           statistic, in a state, in the gradient of a parameter
std::vector<Case> row_parts(const Case& c, std::size_t count);

/// The outputs of parts, in their order, on top of each other.
///
/// Requires  the same names and dtypes in each, and shapes that differ in the first extent alone
std::vector<StoredTensor> joined(const std::vector<std::vector<StoredTensor>>& parts);

}  // namespace normproof::verification::golden::certify
