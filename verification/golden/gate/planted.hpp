#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "verification/golden/gate/check.hpp"

namespace normproof::verification::golden::gate {

/// The verdicts when one value replaces each element of an output in turn.
struct InjectionCounts {
  std::size_t elements = 0;
  std::size_t refused = 0;   ///< rejected by the gate
  std::size_t right = 0;     ///< the value is what is expected there: 0 for 0, infinity for NaN
  std::size_t within = 0;    ///< different from the expected number, but within its bound
  std::size_t unjudged = 0;  ///< elements with an infinite bound

  InjectionCounts& operator+=(const InjectionCounts& other);
};

/// The verdicts when NaN, infinity, 0 and 12345 each replace each element of an output.
struct InjectionResult {
  std::map<std::string, InjectionCounts> of = {};  ///< the counts for each injected value
  /// Where a wrong value passed: "y of quick/...: 12345 in 3 elements".
  std::vector<std::string> missed = {};

  InjectionCounts total() const;
  bool all_refused() const { return missed.empty(); }
  InjectionResult& operator+=(const InjectionResult& other);
};

/// Replaces each element of a correct output by each of the values, one element at a time, and
/// counts the verdicts (JudgedOutput::verdict). The output is rejected if the replaced element is.
///
/// Computes  in time proportional to the number of elements
/// Requires  `right` passes; if it does not, that is reported in `missed`
InjectionResult inject_values(const StoredCase& stored, const std::vector<StoredTensor>& right,
                              const tolerance::Tolerance& bounds);

}  // namespace normproof::verification::golden::gate
