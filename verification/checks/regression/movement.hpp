#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "verification/checks/regression/history.hpp"

namespace normproof::verification::checks::regression {

/// An output whose bits are others than before.
struct Movement {
  std::string path, output;                  ///< output is empty where it is the whole case
  std::string what;                          ///< why no steps can be counted, else empty
  std::size_t moved = 0, count = 0;          ///< elements
  std::uint64_t most_steps = 0;              ///< from one number of the dtype to the next
  std::string where;                         ///< the element that has moved by the most
  Direction direction = Direction::neither;  ///< of the truth
  ErrorStatistics before = {}, after = {};
};

struct Change {
  std::vector<Movement> movements;     ///< in ascending order of paths and outputs
  std::size_t cases = 0, outputs = 0;  ///< that either recording has
  std::size_t moved_cases = 0;

  std::size_t count(Direction towards_or_away) const;
};

/// Steps from one number of the dtype to its neighbour that lead from a to b; both zeros are one
/// point; kInfinitelyFar where exactly one is NaN, 0 where both are.
/// Requires  a and b are numbers of the dtype, a float or int64
std::uint64_t steps_between(double a, double b, DType dtype);

/// Computes  what moved from one recording of a history to another. A case that is gone, or has no
///           answer any more, or that is another case under the same name, moved away or neither;
///           one that is new, or has an answer now, towards
/// Throws    FileError as History
Change change_between(const History& history, const Recording& from, const Recording& to);

}  // namespace normproof::verification::checks::regression
