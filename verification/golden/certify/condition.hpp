#pragma once

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::certify {

using corpus::Case;

/// Returns the condition number of x_hat, the normalized x: the change of x_hat, in units in the
/// last place, per unit in the last place by which x changes. It is the largest
/// `sqrt((mean^2 + variance) / (variance + eps))` over the slices that the layer normalizes (rows,
/// columns or groups). Infinity and NaN are ignored. The condition number is 1 in inference, for
/// functions, and for layers that do not subtract a mean.
double condition_number(const Case& c);

}  // namespace normproof::verification::golden::certify
