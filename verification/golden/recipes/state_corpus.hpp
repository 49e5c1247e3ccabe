#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;

/// The quick cases of what a layer carries from step to step: inference, sequences, decays,
/// PowerNorm's warm-up. None of a layer without a state.
std::vector<Case> state_cases(std::string_view layer, std::uint64_t seed);

}  // namespace normproof::verification::golden::recipes
