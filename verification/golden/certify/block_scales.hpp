#pragma once

#include <optional>
#include <vector>

#include "ref/numeric/ball.hpp"
#include "ref/numeric/float_format.hpp"

namespace normproof::verification::golden::certify {

/// Returns the scale of each block of 32 elements of the last axis. The scale is `2^(floor(log2
/// max|v|) - emax)`. Here v are the elements of the block, and 2^emax is the largest power of two
/// that the format can represent. The scale of a block of zeros is 2^-127. Returns nothing if an
/// enclosure contains a power of two in its interior, because the exponent is then unknown.
///
/// Source    [RZM+23], Algorithm 1
/// Requires  d_model > 0 divides values.size()
std::optional<std::vector<double>> block_scales(const std::vector<ref::numeric::ball>& values,
                                                std::size_t d_model,
                                                const ref::numeric::FloatFormat& format);

}  // namespace normproof::verification::golden::certify
