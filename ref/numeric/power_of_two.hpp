#pragma once

#include <cmath>

namespace normproof::ref::numeric {

/// Whether |v| is 2^k for an integer k. Division by such a v is exact, apart from underflow and
/// overflow.
inline bool is_power_of_two(double v) {
  int exponent = 0;
  return std::fabs(std::frexp(v, &exponent)) == 0.5;
}

}  // namespace normproof::ref::numeric
