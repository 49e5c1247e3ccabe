#pragma once

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::certify {

using corpus::Case;

/// How many units in the last place of x_hat one unit in x may move: the largest of
/// sqrt((mean^2 + variance) / (variance + eps)) over the slices that the layer normalises (rows,
/// columns, groups ...; with infinity and NaN left out), 1 for the layers that do not centre, in
/// inference, and for functions.
double condition_number(const Case& c);

}  // namespace normproof::verification::golden::certify
