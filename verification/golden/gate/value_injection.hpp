#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "verification/golden/gate/check.hpp"

namespace normproof::verification::golden::gate {

/// How often the gate gave each verdict when one value replaced each element of an output in turn.
struct InjectionCounts {
  std::size_t elements = 0;
  std::size_t refused = 0;  ///< rejected by the gate
  /// The number of elements for which the injected value was correct. If 0 is expected, 0 is
  /// correct. If NaN is expected, NaN and infinity are correct.
  std::size_t right = 0;
  std::size_t within = 0;    ///< different from the expected number, but within its bound
  std::size_t unjudged = 0;  ///< elements with an infinite bound

  InjectionCounts& operator+=(const InjectionCounts& other);
};

/// The verdicts of the gate when NaN, infinity, 0 and 12345 replace each element of an output in
/// turn.
struct InjectionResult {
  std::map<std::string, InjectionCounts> of = {};  ///< the counts for each injected value
  /// Descriptions of wrong values that passed, such as "y of quick/...: 12345 in 3 elements".
  std::vector<std::string> missed = {};

  InjectionCounts total() const;
  bool all_refused() const { return missed.empty(); }
  InjectionResult& operator+=(const InjectionResult& other);
};

/// Replaces each element of a correct output by several wrong values, one element and one value at
/// a time, and counts the verdicts. If one element fails, the output fails. Therefore only the
/// verdict on the replaced element (JudgedOutput::verdict) is computed.
///
/// Computes  in time proportional to the number of elements
/// Requires  the correct outputs `right` pass the gate. If they do not, `missed` contains a
///           sentence that says so
InjectionResult inject_values(const StoredCase& stored, const std::vector<StoredTensor>& right,
                              const tolerance::Tolerance& bounds);

}  // namespace normproof::verification::golden::gate
