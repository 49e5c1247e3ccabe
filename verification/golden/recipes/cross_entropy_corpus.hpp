#pragma once

#include <cstdint>
#include <vector>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::Tier;

/// Returns the cases of a tier for fused softmax cross-entropy. They have class weights, label
/// smoothing, ignored rows, logits beyond the range of exp, extents at and next to block sizes, and
/// 16-bit dtypes. The tier `full` has no such cases.
std::vector<Case> cross_entropy_cases(Tier tier, std::uint64_t seed);

}  // namespace normproof::verification::golden::recipes
