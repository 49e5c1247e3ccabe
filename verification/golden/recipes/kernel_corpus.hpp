#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::Tier;

/// The sizes, formats and options where kernels break: extents at and beside powers of two, 16 bits
/// over many rows and at large magnitudes, every eps in use, gamma 0 and gamma alone, the least
/// gradients. Of a layer, and of a function with rows.
std::vector<Case> kernel_cases_of_layer(Tier tier, std::string_view layer, std::uint64_t seed);
std::vector<Case> kernel_cases_of_function(Tier tier, std::string_view function,
                                           std::uint64_t seed);

}  // namespace normproof::verification::golden::recipes
