#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::Tier;

/// The cases of a tier of a function that adds a residual before a norm; `full` has none. What
/// breaks a norm stands in the cases of the layer too: here are those of the sum, and of each
/// regime one.
std::vector<Case> add_norm_cases(Tier tier, std::string_view function, std::uint64_t seed);

}  // namespace normproof::verification::golden::recipes
