#pragma once

#include <cstdint>
#include <vector>

#include "verification/golden/corpus/case.hpp"
#include "verification/golden/corpus/path_globs.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::PathGlobs;
using corpus::Tier;

/// The seed of the random numbers in the published corpus.
inline constexpr std::uint64_t kCorpusSeed = 20261121;

/// Returns the cases of a tier whose paths match `only`, sorted by path. All paths are different.
/// Each case depends only on its path and the seed. docs/guide/golden.md lists the regimes and
/// their reasons.
std::vector<Case> corpus(Tier tier, std::uint64_t seed = kCorpusSeed,
                         const PathGlobs& only = PathGlobs());

}  // namespace normproof::verification::golden::recipes
