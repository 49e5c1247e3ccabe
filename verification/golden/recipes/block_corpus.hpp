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
/// last two, 4097 and 8193, exceed blocks of 4096 and 8192 elements.
inline constexpr std::size_t kBlockEdges[] = {31,  32,   33,   63,   64,   65,  127,
                                              128, 129,  255,  256,  257,  511, 512,
                                              513, 1023, 1024, 1025, 4097, 8193};

/// Returns the cases of a norm layer or row-wise function in which the number of rows or the number
/// of features is one of kBlockEdges. Along the axis of statistics, an extent is left out if
/// another case of the operation already has it.
///
/// These sizes reveal errors in the last block. If the number of rows is a multiple of the block
/// size, the remainder is 0. A kernel that uses the remainder as the size of its last block then
/// omits that block.
///
/// The tier `quick` has only one or two numbers of rows. For LayerNorm and RMSNorm, one of them is
/// 256, a multiple of every smaller block size. The tier `standard` has all of kBlockEdges, and the
/// tier `full` has none of them.
std::vector<Case> block_cases(Tier tier, std::string_view operation, std::uint64_t seed);

/// Returns the elements of kBlockEdges that a tier uses for the keys and queries of attention and
/// for the rows and classes of cross-entropy. Each element is used in exactly one tier.
std::vector<std::size_t> block_edges_of_tier(Tier tier);

}  // namespace normproof::verification::golden::recipes
