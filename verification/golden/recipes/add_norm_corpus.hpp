#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::Tier;

/// Returns the cases of a tier for a function that adds a residual and then applies a norm. `full`
/// has none. The cases are about the sum, with one case for each regime of the norm. Cases that are
/// hard for the norm itself belong to the norm layer.
std::vector<Case> add_norm_cases(Tier tier, std::string_view function, std::uint64_t seed);

}  // namespace normproof::verification::golden::recipes
