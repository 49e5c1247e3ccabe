#pragma once

#include <cstdint>
#include <vector>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::Tier;

/// Returns the cases of a tier for l2_norm. They have every placement of eps, norms near eps, rows
/// of zeros, squares that overflow or underflow, offsets, and 16-bit dtypes.
std::vector<Case> l2_norm_cases(Tier tier, std::uint64_t seed);

}  // namespace normproof::verification::golden::recipes
