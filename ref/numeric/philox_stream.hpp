#pragma once

#include <string_view>

#include "ref/numeric/random_kernels.hpp"

/// What a kernel needs to draw the numbers of a RandomStream itself.
namespace normproof::ref::numeric {

/// The stream that RandomStream(seed, stream) draws from.
PhiloxStream philox_stream(std::uint64_t seed, std::string_view stream);

/// uniform(i) >= least where the upper 53 bits of bits(i), as a number, are at least this.
/// Requires  (C1) 0 <= least <= 1
std::uint64_t least_upper_bits(double least);

}  // namespace normproof::ref::numeric
