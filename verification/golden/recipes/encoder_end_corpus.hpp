#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

/// Encoders in 16 bits, with every norm, and at the ends of their extents and of what their tensors
/// hold.
/// Requires  operation is one of model::encoder_operation_names()
std::vector<corpus::Case> encoder_end_cases(corpus::Tier tier, std::string_view operation,
                                            std::uint64_t seed);

}  // namespace normproof::verification::golden::recipes
