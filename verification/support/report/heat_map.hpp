#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "verification/support/report/document.hpp"

namespace normproof::verification::support::report {

/// Ratios of error to bound, one per element; a ratio up to 1 is within the bound.
struct HeatMap {
  std::vector<std::string> rows, columns;  ///< labels of the elements: "[3]", "0 to 3"
  /// Ratios in C order. Infinity means that the bound is 0 or that the output is not a number; NaN,
  /// or a missing entry at the end, means not judged.
  std::vector<double> shares;
};

/// Draws a picture with one square per element, whose tooltip shows its name and its ratio.
///
/// Computes  blue squares within the bound; orange, crossed-out squares beyond it; the farther, the
///           darker
Drawing draw_heat_map(const HeatMap& map, std::string_view label);

}  // namespace normproof::verification::support::report
