#pragma once

#include <optional>

#include "ref/io/stored_tensor.hpp"
#include "ref/numeric/ball.hpp"
#include "ref/numeric/float_format.hpp"

namespace normproof::verification::golden::certify {

struct Nearest {
  double value;
  /// Whether this is a tie: the enclosure contains the midpoint of two numbers and is narrower than
  /// 2^-1100 of it. Then value is the even number; as far as 2^-1100 can tell, both are equally
  /// near.
  bool tie;
};

/// Returns the number of the format that is nearest to every point of the enclosure, ties to even,
/// with +0 for anything that rounds to 0; nothing if the points disagree. Out of range, `overflow`
/// decides: infinity (NaN if the format has none) or the largest number.
///
/// Requires  (C1) dtype is a floating-point dtype
/// Throws    ContractError
std::optional<Nearest> nearest(const ref::numeric::ball& x, ref::io::DType dtype,
                               ref::numeric::Overflow overflow = ref::numeric::Overflow::special);

}  // namespace normproof::verification::golden::certify
