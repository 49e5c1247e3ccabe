#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace normproof::verification::golden::gate {

/// A picture of the ratio of error to bound over a tensor. Rows run over all axes except the last.
/// If there are more rows or columns than the picture can show, a cell shows the maximum of
/// several.
struct ErrorRatioMap {
  std::vector<std::string> rows, columns;  ///< the indices of each: "3", "4 to 7"
  std::vector<double>
      shares;  ///< the ratio of each cell in C order; NaN if none of its elements is judged
};

/// Computes  the map of an output of that shape from the ratio of each element, in C order
ErrorRatioMap make_error_ratio_map(const std::vector<std::size_t>& shape,
                                   const std::vector<double>& shares);

}  // namespace normproof::verification::golden::gate
