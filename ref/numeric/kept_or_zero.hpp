#pragma once

#include <cstdint>

#include "ref/numeric/device_function.hpp"

namespace normproof::ref::numeric {

/// Computes  v where it is kept, else +0; without a branch, for which way a random one goes no
///           processor can know ahead
NORMPROOF_DEVICE inline double kept_or_zero(bool keep, double v) {
  return __builtin_bit_cast(
      double, __builtin_bit_cast(std::uint64_t, v) & -static_cast<std::uint64_t>(keep));
}
template <class T>
T kept_or_zero(bool keep, const T& v) {
  return keep ? v : T(0);
}

}  // namespace normproof::ref::numeric
