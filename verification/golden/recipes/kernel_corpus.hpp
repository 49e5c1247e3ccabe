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

/// Returns cases of a layer with the sizes, formats and options at which kernels break: extents at
/// and next to powers of two, 16-bit dtypes with many rows and large magnitudes, every eps in use,
/// gamma 0, gamma without beta, tiny gradients. A layer without statistics has none.
std::vector<Case> kernel_cases(Tier tier, std::string_view layer, std::uint64_t seed);

/// Returns the extents of a tier at and next to the widths of vectors, warps and blocks; none for
/// `full`.
std::span<const std::size_t> block_extents(Tier tier);
inline constexpr const char* kWhyBlockEdge =
    "an extent at or beside a power of two: the remainder of a block is dropped, or counted twice";

}  // namespace normproof::verification::golden::recipes
