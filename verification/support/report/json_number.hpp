#pragma once

#include <cmath>
#include <nlohmann/json.hpp>

namespace normproof::verification::support::report {

/// Returns a number as JSON. JSON has no infinity and no NaN; these become the strings "inf",
/// "-inf" and "nan" (for either sign of NaN).
inline nlohmann::ordered_json json_number(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

}  // namespace normproof::verification::support::report
