#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

/// The cases of 8 bits with scales of an operation, of a tier: those of layer_norm, rms_norm,
/// softmax, silu and swiglu, for which kernels of 8 bits exist; none of another one, nor of `full`.
std::vector<corpus::Case> scaled_cases(corpus::Tier tier, std::string_view operation,
                                       std::uint64_t seed);

}  // namespace normproof::verification::golden::recipes
