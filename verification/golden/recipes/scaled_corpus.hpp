#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

/// Returns the 8-bit cases with scales of an operation in a tier. There are some for layer_norm,
/// rms_norm, softmax, silu and swiglu, for which 8-bit kernels exist; none for other operations or
/// for `full`.
std::vector<corpus::Case> scaled_cases(corpus::Tier tier, std::string_view operation,
                                       std::uint64_t seed);

}  // namespace normproof::verification::golden::recipes
