#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::Tier;

/// Returns the cases of a tier for a function that adds a residual before a norm; `full` has none.
/// Cases that break the norm itself belong to the layer; here are those of the sum, and one of each
/// regime of the norm.
std::vector<Case> add_norm_cases(Tier tier, std::string_view function, std::uint64_t seed);

}  // namespace normproof::verification::golden::recipes
