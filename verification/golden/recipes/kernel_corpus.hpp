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

/// The sizes, formats and options of a layer where kernels break: extents at and beside powers of
/// two, 16 bits over many rows and at large magnitudes, every eps in use, gamma 0 and gamma alone,
/// the least gradients. None of a layer without statistics.
std::vector<Case> kernel_cases(Tier tier, std::string_view layer, std::uint64_t seed);

/// At and beside the widths of vectors, warps and blocks: the extents of a tier, none of `full`.
std::span<const std::size_t> block_extents(Tier tier);
inline constexpr const char* kWhyBlockEdge =
    "an extent at or beside a power of two: the remainder of a block is dropped, or counted twice";

}  // namespace normproof::verification::golden::recipes
