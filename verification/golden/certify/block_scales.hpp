#pragma once

#include <optional>
#include <vector>

#include "ref/numeric/ball.hpp"
#include "ref/numeric/float_format.hpp"

namespace normproof::verification::golden::certify {

/// The scale of each block of 32 elements of the last axis, 2^(floor(log2 max|v|) - emax), emax the
/// exponent of the format's largest power of two; 2^-127 of a block of zeros. Nothing where an
/// enclosure reaches past a power of two.
///
/// Source    [RZM+23], Algorithm 1
/// Requires  d_model > 0 divides values.size()
std::optional<std::vector<double>> block_scales(const std::vector<ref::numeric::ball>& values,
                                                std::size_t d_model,
                                                const ref::numeric::FloatFormat& format);

}  // namespace normproof::verification::golden::certify
