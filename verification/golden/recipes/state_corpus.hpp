#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;

/// Returns the quick cases about a layer's running state: inference, sequences of steps, decays,
/// and PowerNorm's warm-up. A layer without state has none.
std::vector<Case> state_cases(std::string_view layer, std::uint64_t seed);

}  // namespace normproof::verification::golden::recipes
