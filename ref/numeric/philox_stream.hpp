#pragma once

#include <string_view>

#include "ref/numeric/random_kernels.hpp"

/// Functions for kernels that generate the numbers of a RandomStream themselves.
namespace normproof::ref::numeric {

/// Returns the Philox parameters of RandomStream(seed, stream).
PhiloxStream philox_stream(std::uint64_t seed, std::string_view stream);

/// Returns the integer n for which `uniform(i) >= least` is true exactly if the upper 53 bits of
/// bits(i), read as an integer, are at least n.
/// Requires  (C1) 0 <= least <= 1
std::uint64_t min_upper_bits(double least);

}  // namespace normproof::ref::numeric
