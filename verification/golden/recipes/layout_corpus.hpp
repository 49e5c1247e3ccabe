#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

/// Returns the cases of a layer whose x is an image, [B,D,H,W] or [B,H,W,D] with pairwise different
/// extents; none if the layer has no layout option.
std::vector<corpus::Case> layout_cases(corpus::Tier tier, std::string_view layer,
                                       std::uint64_t seed);

}  // namespace normproof::verification::golden::recipes
