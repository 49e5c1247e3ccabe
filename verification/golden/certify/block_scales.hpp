#pragma once

#include <optional>
#include <vector>

#include "ref/numeric/ball.hpp"
#include "ref/numeric/float_format.hpp"
#include "verification/golden/corpus/scaling.hpp"

namespace normproof::verification::golden::certify {

/// Returns the scale of each block, a power of two. The scale is `2^(floor(log2
/// max|v|) - emax)`. Here v are the elements of the block, and 2^emax is the largest power of two
/// that the format can represent. The scale of a block of zeros is 2^-127. Returns nothing if an
/// enclosure contains a power of two in its interior, because the exponent is then unknown.
///
/// Source    [RZM+23], Algorithm 1
/// Requires  `blocks` are those of a tensor with values.size() elements
std::optional<std::vector<double>> block_scales(const std::vector<ref::numeric::ball>& values,
                                                const corpus::ScaleBlocks& blocks,
                                                const ref::numeric::FloatFormat& format);

/// Returns the scale of each block of a tensor that has a scale too: the number of e4m3 nearest to
/// M / largest / of_tensor. Here M is the largest magnitude of the block, and largest the largest
/// number of the format. A scale is at most 448 and at least corpus::kMinScaleOfTensorBlock.
/// Returns nothing if points of an enclosure round to different numbers.
///
/// Requires  `blocks` are those of a tensor with values.size() elements; of_tensor > 0
std::optional<std::vector<double>> tensor_block_scales(
    const std::vector<ref::numeric::ball>& values, const corpus::ScaleBlocks& blocks,
    const ref::numeric::FloatFormat& format, double of_tensor);

/// The float32 scales of groups, and the parts of the exact scales that rounding removed.
struct GroupScales {
  std::vector<double> value, remainder;
};

/// Returns the float32 scale of each group of elements. The scale is the largest magnitude M of
/// the group, but at most limits.upper, divided by the largest number of the format, but at least
/// limits.least. It is rounded up to a power of two if the limits say so. A group of zeros without
/// a least scale has the scale 1. Returns nothing if an enclosure contains a number at which the
/// scale changes, such as a midpoint of two float32 numbers.
///
/// Requires  `blocks` are those of a tensor with values.size() elements
std::optional<GroupScales> group_scales(const std::vector<ref::numeric::ball>& values,
                                        const corpus::ScaleBlocks& blocks,
                                        const ref::numeric::FloatFormat& format,
                                        const corpus::ScaleLimits& limits);

}  // namespace normproof::verification::golden::certify
