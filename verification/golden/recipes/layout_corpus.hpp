#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

/// Cases of a layer whose x is an image of channels: [B,D,H,W] and [B,H,W,D], each extent another
/// one. None of a layer without a layout.
std::vector<corpus::Case> layout_cases(corpus::Tier tier, std::string_view layer,
                                       std::uint64_t seed);

}  // namespace normproof::verification::golden::recipes
