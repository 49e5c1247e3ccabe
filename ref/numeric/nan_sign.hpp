#pragma once

#include <limits>

namespace normproof::ref::numeric {

/// Computes  x, and for every NaN the one that prints as "nan": which sign a NaN has depends on the
///           processor, and no text may
inline double without_nan_sign(double x) {
  return x == x ? x : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace normproof::ref::numeric
