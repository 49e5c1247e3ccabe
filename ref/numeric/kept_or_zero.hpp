#pragma once

#include <cstdint>

#include "ref/numeric/device_function.hpp"

namespace normproof::ref::numeric {

/// Returns v if `keep` is true, otherwise +0. The function does not branch, because a processor
/// cannot predict a random branch.
NORMPROOF_DEVICE inline double keep_or_zero(bool keep, double v) {
  return __builtin_bit_cast(
      double, __builtin_bit_cast(std::uint64_t, v) & -static_cast<std::uint64_t>(keep));
}
template <class T>
T keep_or_zero(bool keep, const T& v) {
  return keep ? v : T(0);
}

}  // namespace normproof::ref::numeric
