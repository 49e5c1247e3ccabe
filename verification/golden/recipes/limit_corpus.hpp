#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

/// Returns the `standard` cases of a norm layer at the limits of its specification. There are cases
/// with each option at its minimum and at its maximum, with zeros among the elements, with
/// parameters or statistics that are 0, with a single token, and with more than 128 samples (four
/// warps have 128 threads).
std::vector<corpus::Case> limit_cases(std::string_view layer, std::uint64_t seed);

}  // namespace normproof::verification::golden::recipes
