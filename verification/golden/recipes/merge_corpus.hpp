#pragma once

#include <cstdint>
#include <vector>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::Tier;

/// Returns the cases of a tier for merge_attention_states. They have one split and many, empty
/// splits, logarithms beyond the range of exp, and values of 16 bits beside logarithms of 32. The
/// tier `full` has no such cases.
std::vector<Case> merge_cases(Tier tier, std::uint64_t seed);

}  // namespace normproof::verification::golden::recipes
