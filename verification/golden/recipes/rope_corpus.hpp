#pragma once

#include <cstdint>
#include <vector>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::Tier;

/// Returns the cases of a tier for rotary embeddings. They have both pairings of features, features
/// without a partner, extents at and next to block sizes, and 16-bit dtypes. The tier `full` has no
/// such cases.
std::vector<Case> rope_cases(Tier tier, std::uint64_t seed);

}  // namespace normproof::verification::golden::recipes
