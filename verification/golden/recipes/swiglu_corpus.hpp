#pragma once

#include <cstdint>
#include <vector>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::Tier;

/// Returns the cases of a tier for swiglu with a limit, alpha and beta. The tier `full` has no such
/// cases.
std::vector<Case> swiglu_option_cases(Tier tier, std::uint64_t seed);

}  // namespace normproof::verification::golden::recipes
