#pragma once

#include <vector>

#include "verification/golden/case.hpp"

namespace normproof::verification::golden {

/// The cases of a tier, in ascending order of their paths, which differ. A function of nothing.
/// docs/golden.md has the regimes and their reasons.
std::vector<Case> corpus(Tier tier);

}  // namespace normproof::verification::golden
