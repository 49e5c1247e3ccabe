#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::Tier;

/// 2^k - 1, 2^k and 2^k + 1 of vectors, warps and blocks, and what is past a row of 4096 and 8192.
inline constexpr std::size_t kBlockEdges[] = {31,  32,   33,   63,   64,   65,  127,
                                              128, 129,  255,  256,  257,  511, 512,
                                              513, 1023, 1024, 1025, 4097, 8193};

/// A layer of ref/norm or a function by rows at every one of kBlockEdges: as many rows, and as many
/// features where no other case of the operation has them. A block of rows whose number it divides
/// has no remainder, and a kernel that takes the remainder for the size of its last block loses
/// that block. In `quick` one number of rows or two, of LayerNorm and RMSNorm 256, which every
/// smaller block divides; all in `standard`, none in `full`.
std::vector<Case> block_cases(Tier tier, std::string_view operation, std::uint64_t seed);

/// Those of kBlockEdges that a tier has, of keys and queries of attention, of rows and classes of
/// cross-entropy: each is in one tier.
std::vector<std::size_t> edges_in(Tier tier);

}  // namespace normproof::verification::golden::recipes
