#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

/// Cases of `standard` of a layer of ref/norm at the ends of what the specification allows: each
/// option at its least and greatest value, zeros among the elements, parameters and statistics that
/// are 0, a single token, more samples than a warp has threads.
std::vector<corpus::Case> end_cases(std::string_view layer, std::uint64_t seed);

}  // namespace normproof::verification::golden::recipes
