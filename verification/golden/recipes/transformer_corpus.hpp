#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::Tier;

/// The cases of one of model::transformer_operation_names(), of a tier.
std::vector<Case> transformer_cases(Tier tier, std::string_view operation, std::uint64_t seed);

}  // namespace normproof::verification::golden::recipes
