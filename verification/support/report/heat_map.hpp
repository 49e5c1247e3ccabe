#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "verification/support/report/document.hpp"

namespace normproof::verification::support::report {

/// Errors over their bounds, place by place: up to 1 is within the bound.
struct HeatMap {
  std::vector<std::string> rows, columns;  ///< the names of places: "[3]", "0 to 3"
  /// In C order. Infinite: nothing may be off there, or no number was given; NaN, or left out: not
  /// judged.
  std::vector<double> shares;
};

/// Computes  a picture with a square a place, which shows its name and its share where the pointer
///           rests: blue within the bound, orange beyond it and crossed out, darker the farther
Drawing draw_heat_map(const HeatMap& map, std::string_view label);

}  // namespace normproof::verification::support::report
