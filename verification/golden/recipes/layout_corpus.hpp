#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

/// Returns the cases of a layer whose x is an image of shape [B,D,H,W] or [B,H,W,D]. The four
/// extents are all different. A layer without the option `layout` has no such cases.
std::vector<corpus::Case> layout_cases(corpus::Tier tier, std::string_view layer,
                                       std::uint64_t seed);

}  // namespace normproof::verification::golden::recipes
