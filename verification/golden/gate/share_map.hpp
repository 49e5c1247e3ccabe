#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace normproof::verification::golden::gate {

/// The error of a tensor over its bound as a picture has room for it. Rows are all axes but the
/// last; where there are more rows or columns than have room, a place has the worst of several.
struct ShareMap {
  std::vector<std::string> rows, columns;  ///< the numbers of each: "3", "4 to 7"
  std::vector<double> shares;              ///< in C order; NaN: none of its elements is judged
};

/// Computes  the map of an output of that shape from the share of each element, in C order
ShareMap share_map(const std::vector<std::size_t>& shape, const std::vector<double>& shares);

}  // namespace normproof::verification::golden::gate
