#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

/// Returns the `standard` cases of a norm layer at the limits of its specification. The cases have
/// each option at its minimum and maximum, zeros among the elements, parameters and statistics that
/// are 0, a single token, and more samples than four warps have threads (128).
std::vector<corpus::Case> limit_cases(std::string_view layer, std::uint64_t seed);

}  // namespace normproof::verification::golden::recipes
