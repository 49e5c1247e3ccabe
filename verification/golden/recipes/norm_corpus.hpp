#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::Tier;

/// Returns the cases of a tier for one of model::norm_names() except "none". They include
/// state_cases.
std::vector<Case> norm_cases(Tier tier, std::string_view layer, std::uint64_t seed);

}  // namespace normproof::verification::golden::recipes
