#pragma once

#include "ref/numeric/device_function.hpp"

namespace normproof::gpu::ops {

/// A storage format of binary floating point, and rounding to it, ties to even.
struct StorageRounding {
  int digits;        ///< of the significand, with the leading one
  int min_exponent;  ///< of the smallest normal number
  double largest;

  NORMPROOF_DEVICE double operator()(double v) const {
    using Bits = unsigned long long;
    const int exponent = static_cast<int>(__builtin_bit_cast(Bits, v) >> 52 & 0x7ff) - 1023;
    if (exponent == 1024) return v;
    const int least = exponent < min_exponent ? min_exponent : exponent;
    const double unit =
        __builtin_bit_cast(double, static_cast<Bits>(least - digits + 1 + 1023) << 52);
    // |v / unit| < 2^digits, so adding and taking away 1.5 2^52 rounds it to an integer.
    const double rounded = ((v / unit + 0x1.8p52) - 0x1.8p52) * unit;
    if (rounded > largest) return __builtin_huge_val();
    if (rounded < -largest) return -__builtin_huge_val();
    return rounded == 0 ? v * 0.0 : rounded;  // keeps the sign of zero
  }
};

}  // namespace normproof::gpu::ops
