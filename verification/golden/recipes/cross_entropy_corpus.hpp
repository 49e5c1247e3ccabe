#pragma once

#include <cstdint>
#include <vector>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::Tier;

/// The cases of softmax with cross-entropy in one: class weights, label smoothing, rows that are
/// ignored, logits past the range of exp, extents at the edges of blocks, 16 bits. `full` has none.
std::vector<Case> cross_entropy_cases(Tier tier, std::uint64_t seed);

}  // namespace normproof::verification::golden::recipes
