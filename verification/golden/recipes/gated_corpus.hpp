#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::Tier;

/// silu, and the functions with an operand `gate`: a product with an activation of x.
bool has_gated_cases(std::string_view function);

/// Their cases of a tier; `full` has none.
std::vector<Case> gated_cases(Tier tier, std::string_view function, std::uint64_t seed);

}  // namespace normproof::verification::golden::recipes
