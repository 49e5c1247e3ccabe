#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "verification/checks/regression/history.hpp"

namespace normproof::verification::checks::regression {

/// An output whose bits differ between two recordings.
struct OutputChange {
  std::string path, output;          ///< output is empty if the whole case changed
  std::string what;                  ///< the reason if steps cannot be counted, else empty
  std::size_t moved = 0, count = 0;  ///< elements
  /// The largest change of an element, in steps between neighboring numbers of the dtype.
  std::uint64_t max_steps = 0;
  std::string where;                         ///< the element with the maximum number of steps
  Direction direction = Direction::neither;  ///< relative to the exact value
  ErrorStatistics before = {}, after = {};
};

struct Change {
  std::vector<OutputChange> movements;  ///< sorted by path and output
  std::size_t cases = 0, outputs = 0;   ///< in either recording
  std::size_t moved_cases = 0;

  std::size_t count(Direction towards_or_away) const;
};

/// Returns the number of steps that lead from a to b. One step leads from a number of the dtype to
/// a neighboring number of the dtype. +0 and -0 count as the same number. The result is 0 if both
/// are NaN, and kInfinitelyFar if only one is.
/// Requires  a and b are numbers of the dtype, a float or int64
std::uint64_t count_representable_steps(double a, double b, DType dtype);

/// Compares two recordings of a history.
/// Computes  the changes of each case, and whether they move towards the exact values (`towards`)
///           or away from them (`away`). A case counts as `away` if it is gone or has lost its
///           output, as `towards` if it is new or has gained an output, and as `neither` if its
///           name now belongs to a different case
/// Throws    FileError as History
Change compare_recordings(const History& history, const Recording& from, const Recording& to);

}  // namespace normproof::verification::checks::regression
