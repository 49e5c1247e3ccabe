#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::Tier;

/// Returns cases of a layer with sizes, formats and options that are hard for kernels: extents at
/// and next to powers of two, 16-bit dtypes with many rows and large magnitudes, every common eps,
/// gamma 0, gamma without beta, tiny gradients. A layer without statistics has no such cases.
std::vector<Case> kernel_cases(Tier tier, std::string_view layer, std::uint64_t seed);

/// Returns the extents at and next to the sizes of vectors, warps and blocks that a tier uses. The
/// tier `full` uses none of them.
std::span<const std::size_t> block_edge_extents(Tier tier);
inline constexpr const char* kWhyBlockEdge =
    "an extent at or beside a power of two: the remainder of a block is dropped, or counted twice";

}  // namespace normproof::verification::golden::recipes
