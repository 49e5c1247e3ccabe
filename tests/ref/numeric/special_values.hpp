#pragma once

#include <limits>

namespace normproof::ref::numeric {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace normproof::ref::numeric
