#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::Tier;

/// Returns the cases of a tier for a function that adds a residual and then applies a norm. The
/// tier `full` has no such cases. The cases test the sum. Situations that are hard for the norm
/// itself, such as a variance near eps, have only one or a few cases here. The cases of the norm
/// layer test them more thoroughly.
std::vector<Case> add_norm_cases(Tier tier, std::string_view function, std::uint64_t seed);

}  // namespace normproof::verification::golden::recipes
