#pragma once

#include <string_view>

#include "ref/numeric/random_kernels.hpp"

/// The parameters with which a kernel can draw the numbers of a RandomStream itself.
namespace normproof::ref::numeric {

/// Returns the parameters of RandomStream(seed, stream).
PhiloxStream philox_stream(std::uint64_t seed, std::string_view stream);

/// Returns the threshold for which uniform(i) >= least holds exactly if the upper 53 bits of
/// bits(i), read as a number, are at least the threshold.
/// Requires  (C1) 0 <= least <= 1
std::uint64_t min_upper_bits(double least);

}  // namespace normproof::ref::numeric
