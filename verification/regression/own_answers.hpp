#pragma once

#include "verification/golden/gate/check.hpp"

namespace normproof::verification::regression {

/// Answers are this program's own: the layers of ref/norm in `double`, float64 whatever the dtype
/// of the case is; NaN where an infinity or a NaN of the inputs reaches.
golden::gate::Ask from_this_program();

}  // namespace normproof::verification::regression
