#pragma once

#include <cstdint>
#include <vector>

#include "verification/golden/corpus/case.hpp"
#include "verification/golden/corpus/path_globs.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::PathGlobs;
using corpus::Tier;

/// The seed of the random numbers of the corpus that others hold their code against.
inline constexpr std::uint64_t kCorpusSeed = 20261121;

/// The cases of a tier whose paths `only` matches, in ascending order of the paths, which differ:
/// each a function of its path and the seed alone. docs/guide/golden.md has the regimes and reasons.
std::vector<Case> corpus(Tier tier, std::uint64_t seed = kCorpusSeed,
                         const PathGlobs& only = PathGlobs());

}  // namespace normproof::verification::golden::recipes
