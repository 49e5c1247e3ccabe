#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

/// Returns the cases that sigmoid, log_sigmoid, softplus, tanh and mish have besides those of every
/// activation: arguments whose exponentials overflow or nearly vanish, and the options of softplus.
/// Other functions have none.
std::vector<corpus::Case> activation_cases(corpus::Tier tier, std::string_view function,
                                           std::uint64_t seed);

}  // namespace normproof::verification::golden::recipes
