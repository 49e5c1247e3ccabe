#pragma once

#include <cstdint>
#include <vector>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::Tier;

/// The seed of the random numbers of the corpus that others hold their code against.
inline constexpr std::uint64_t kCorpusSeed = 20261121;

/// The cases of a tier, in ascending order of their paths, which differ: a function of the seed
/// alone. docs/golden.md has the regimes and their reasons.
std::vector<Case> corpus(Tier tier, std::uint64_t seed = kCorpusSeed);

}  // namespace normproof::verification::golden::recipes
