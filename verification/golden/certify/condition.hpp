#pragma once

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::certify {

using corpus::Case;

/// Returns the condition number of x_hat: by how many units in the last place it may move if x
/// moves by one. This is the largest sqrt((mean^2 + variance) / (variance + eps)) over the slices
/// that the layer normalizes (rows, columns, groups), ignoring infinity and NaN. It is 1 for layers
/// that do not center, in inference and for functions.
double condition_number(const Case& c);

}  // namespace normproof::verification::golden::certify
