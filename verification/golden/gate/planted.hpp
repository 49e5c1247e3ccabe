#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "verification/golden/gate/check.hpp"

namespace normproof::verification::golden::gate {

using corpus::Case;
using ref::io::DType;
using ref::io::StoredTensor;

/// What became of one value in the place of elements, of one at a time.
struct PlantedCount {
  std::size_t elements = 0;
  std::size_t refused = 0;   ///< by the gate
  std::size_t right = 0;     ///< for it is what is expected there: 0 for 0, infinity where NaN is
  std::size_t within = 0;    ///< another number than is expected, within the bound
  std::size_t unjudged = 0;  ///< where the bound claims nothing

  PlantedCount& operator+=(const PlantedCount& other);
};

/// NaN, infinity, 0 and 12345, each in the place of each element of an answer.
struct Planted {
  std::map<std::string, PlantedCount> of = {};  ///< by the value
  /// Where a wrong one passed: "y of quick/...: 12345 in 3 elements".
  std::vector<std::string> missed = {};

  PlantedCount total() const;
  bool all_refused() const { return missed.empty(); }
  Planted& operator+=(const Planted& other);
};

/// Holds a right answer to a case with one of its elements in turn replaced by each value. The
/// answer is rejected where that element is refused (JudgedOutput::verdict).
///
/// Computes  in time that grows as the number of elements does
/// Requires  `right` passes; where it does not, that is missed
Planted plant(const StoredCase& stored, const std::vector<StoredTensor>& right,
              const tolerance::Tolerance& bounds);

}  // namespace normproof::verification::golden::gate
