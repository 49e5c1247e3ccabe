#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

/// Returns cases of encoders in 16-bit dtypes, with every norm, with extreme extents, and with
/// elements at the limits of the range of their dtype.
/// Requires  operation is one of model::encoder_operation_names()
std::vector<corpus::Case> encoder_limit_cases(corpus::Tier tier, std::string_view operation,
                                              std::uint64_t seed);

}  // namespace normproof::verification::golden::recipes
