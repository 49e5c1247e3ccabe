#pragma once

#include <cstdint>
#include <vector>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::Tier;

/// Returns the cases of a tier for gated_rms_norm. They have both places of the gate, both
/// activations, groups of 1 to 128 features, large gates, mean squares near eps, and 16-bit dtypes.
std::vector<Case> gated_norm_cases(Tier tier, std::uint64_t seed);

}  // namespace normproof::verification::golden::recipes
