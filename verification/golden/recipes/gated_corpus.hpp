#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::Tier;

/// Whether the function is silu or multiplies an activation of x by an operand `gate`.
bool has_gated_cases(std::string_view function);

/// Returns the cases of a tier for such a function; `full` has none.
std::vector<Case> gated_cases(Tier tier, std::string_view function, std::uint64_t seed);

}  // namespace normproof::verification::golden::recipes
