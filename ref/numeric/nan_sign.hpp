#pragma once

#include <limits>

namespace normproof::ref::numeric {

/// Returns x or, if x is NaN, the NaN that is printed as "nan". The sign of a NaN depends on the
/// processor and must not appear in text.
inline double remove_nan_signs(double x) {
  return x == x ? x : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace normproof::ref::numeric
