#pragma once

#include <optional>

#include "ref/io/stored_tensor.hpp"
#include "ref/numeric/ball.hpp"
#include "ref/numeric/float_format.hpp"

namespace normproof::verification::golden::certify {

struct Nearest {
  double value;
  /// The enclosure holds the point halfway between two numbers and is narrower than 2^-1100 of it:
  /// it is taken for a tie, and value is the even one. Both are as near as 2^-1100 of x can tell.
  bool tie;
};

/// The number of the format that is nearest to every point of the enclosure, ties to even, +0 for
/// what rounds to 0; nothing where the points do not agree. Beyond the range as `overflow` says:
/// infinity, NaN where the format has none, or the largest number.
///
/// Requires  (C1) dtype is a float
/// Throws    ContractError
std::optional<Nearest> nearest(const ref::numeric::ball& x, ref::io::DType dtype,
                               ref::numeric::Overflow overflow = ref::numeric::Overflow::special);

}  // namespace normproof::verification::golden::certify
