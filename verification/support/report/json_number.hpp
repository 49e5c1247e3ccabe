#pragma once

#include <cmath>
#include <nlohmann/json.hpp>

namespace normproof::verification::support::report {

/// Returns a JSON number, or the string "inf", "-inf" or "nan" (of either sign), since JSON has no
/// infinity and no NaN.
inline nlohmann::ordered_json json_number(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

}  // namespace normproof::verification::support::report
