#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace normproof::verification::golden::gate {

/// A picture of a tensor that shows the ratio of error to bound of every element. A row of the
/// tensor is one index of all axes except the last. The picture consists of cells. If the tensor
/// has more rows or columns than the picture, a cell shows the maximum of several elements.
struct ErrorRatioMap {
  /// The labels of the rows and columns, such as "3" or "4 to 7".
  std::vector<std::string> rows, columns;
  /// The ratio of each cell in C order. It is NaN if all elements of the cell have an infinite
  /// bound.
  std::vector<double> error_ratios;
};

/// Returns the picture of an output.
///
/// Requires  error_ratios: the ratio of error to bound of each element, in C order
ErrorRatioMap make_error_ratio_map(const std::vector<std::size_t>& shape,
                                   const std::vector<double>& error_ratios);

}  // namespace normproof::verification::golden::gate
