#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::Tier;

/// Returns the cases of a tier for a function that adds a residual and then applies a norm. The
/// tier `full` has no such cases. The cases test the sum. Each numerical situation that is hard for
/// the norm itself, such as a variance near eps, has only one or a few cases here. The norm layer
/// has more cases of this kind.
std::vector<Case> add_norm_cases(Tier tier, std::string_view function, std::uint64_t seed);

}  // namespace normproof::verification::golden::recipes
