#pragma once

#include <cstdint>
#include <vector>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::Tier;

/// Returns the cases of a tier for scaled dot-product attention. They have masks of every kind,
/// grouped queries, scores beyond the range of exp, extents at and next to block sizes, and 16-bit
/// dtypes. The tier `full` has no such cases.
std::vector<Case> attention_cases(Tier tier, std::uint64_t seed);

}  // namespace normproof::verification::golden::recipes
