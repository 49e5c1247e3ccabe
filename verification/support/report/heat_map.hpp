#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "verification/support/report/document.hpp"

namespace normproof::verification::support::report {

/// The data of a heat map: for each element of a tensor, the ratio of its error to its bound. The
/// error is within the bound if the ratio is at most 1.
struct HeatMap {
  std::vector<std::string> rows, columns;  ///< labels of the axes, such as "[3]" or "0 to 3"
  /// The ratios in C order. Infinity means that the bound is 0 or that the output is not a number.
  /// NaN or a missing entry at the end means that the element was not judged.
  std::vector<double> shares;
};

/// Draws a heat map with one square per element. The square's tooltip shows the element's label and
/// ratio.
///
/// Computes  blue squares for elements within their bound; orange, crossed-out squares for elements
///           beyond their bound. A larger ratio has a darker color
Drawing draw_heat_map(const HeatMap& map, std::string_view label);

}  // namespace normproof::verification::support::report
