#pragma once

#include <optional>

#include "ref/io/stored_tensor.hpp"
#include "ref/numeric/ball.hpp"
#include "ref/numeric/float_format.hpp"

namespace normproof::verification::golden::certify {

struct NearestNumber {
  double value;
  /// Whether the exact number counts as a tie: its enclosure contains the midpoint of two
  /// neighboring numbers and is narrower than 2^-1100 times that midpoint. In this case `value` is
  /// the neighbor whose last digit is even, and both neighbors are equally near to within 2^-1100.
  bool tie;
};

/// Returns the number of the format that is nearest to every point of the enclosure, with ties to
/// even. The result is +0 for anything that rounds to 0. Returns nothing if points of the enclosure
/// round to different numbers. `overflow` selects the result for values out of range: infinity (NaN
/// if the format has no infinity) or the largest number.
///
/// Requires  (C1) dtype is a floating-point dtype
/// Throws    ContractError
std::optional<NearestNumber> nearest(
    const ref::numeric::ball& x, ref::io::DType dtype,
    ref::numeric::Overflow overflow = ref::numeric::Overflow::special);

}  // namespace normproof::verification::golden::certify
