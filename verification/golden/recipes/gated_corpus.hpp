#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::Tier;

/// Whether gated_cases has cases for the function. This is true for silu and for functions that
/// multiply an activation of x by an input `gate`.
bool is_silu_or_gated(std::string_view function);

/// Returns the cases of a tier for a function for which is_silu_or_gated is true. The tier `full`
/// has no such cases.
std::vector<Case> gated_cases(Tier tier, std::string_view function, std::uint64_t seed);

}  // namespace normproof::verification::golden::recipes
