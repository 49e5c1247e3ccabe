#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::Tier;

/// Returns the cases of a tier for one of model::encoder_operation_names().
std::vector<Case> encoder_cases(Tier tier, std::string_view operation, std::uint64_t seed);

}  // namespace normproof::verification::golden::recipes
