#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::Tier;

/// Extents at and next to the sizes of vectors, warps and blocks: 2^k - 1, 2^k and 2^k + 1. The
/// last two are longer than rows of 4096 and 8192 elements.
inline constexpr std::size_t kBlockEdges[] = {31,  32,   33,   63,   64,   65,  127,
                                              128, 129,  255,  256,  257,  511, 512,
                                              513, 1023, 1024, 1025, 4097, 8193};

/// Returns the cases of a norm layer or row-wise function at each of kBlockEdges: as the number of
/// rows, and as the number of features if no other case of the operation has that number. If the
/// number of rows is a multiple of the block size, the remainder is 0. A kernel that uses the
/// remainder as the size of its last block then omits that block.
/// `quick` has one or two row counts (for LayerNorm and RMSNorm 256, a multiple of every smaller
/// block). `standard` has all of them, `full` none.
std::vector<Case> block_cases(Tier tier, std::string_view operation, std::uint64_t seed);

/// Returns those of kBlockEdges that a tier uses for the keys and queries of attention and for the
/// rows and classes of cross-entropy. Each of kBlockEdges is in exactly one tier.
std::vector<std::size_t> block_edges_of_tier(Tier tier);

}  // namespace normproof::verification::golden::recipes
