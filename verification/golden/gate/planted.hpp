#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "verification/golden/gate/check.hpp"

namespace normproof::verification::golden::gate {

/// NaN, infinity, 0 and 12345, each in the place of each element of an answer.
struct Planted {
  std::size_t values = 0;    ///< that were planted
  std::size_t refused = 0;   ///< of them by the gate
  std::size_t within = 0;    ///< right ones: within the bound, or not finite where NaN is expected
  std::size_t unjudged = 0;  ///< where the bound claims nothing
  /// Where a wrong one passed: "y of quick/...: 12345 in 3 elements".
  std::vector<std::string> missed = {};

  bool all_refused() const { return missed.empty() && refused + within == values; }
  Planted& operator+=(const Planted& other);
};

/// Holds a right answer to a case with each output in turn full of one value. An element is judged
/// whatever the others are, so that as many are refused as were planted one at a time.
Planted plant(const StoredCase& stored, const std::vector<StoredTensor>& right,
              const Tolerance& bounds);

}  // namespace normproof::verification::golden::gate
