#pragma once

#include "ref/numeric/float_format.hpp"

/// Conversion between the numbers of a floating-point format and the bits that store them. From the
/// highest bit down, the bits are sign, exponent and fraction. Integers have two's complement.
namespace normproof::ref::numeric {

using FloatBits = unsigned long long;

inline namespace NORMPROOF_SIDE {

NORMPROOF_DEVICE constexpr int fraction_bits(const FloatFormat& format) {
  return format.bits - 1 - format.exponent_bits;
}

/// Returns the bits that store v. For a NaN, the highest bits of the payload are kept. If these are
/// all 0, one bit is set, because a NaN with payload 0 would be an infinity. The bits of 4-bit
/// formats are the lower half of a byte.
/// Requires  (C1) v is a number of the format, or NaN if the format has one; any other v gives the
///           bits of a different number
NORMPROOF_DEVICE constexpr FloatBits encode(const FloatFormat& format, double v) {
  const auto bits = __builtin_bit_cast(FloatBits, v);
  if (format.bytes == 8) return bits;
  if (is_integer_format(format))
    return static_cast<FloatBits>(v == v ? static_cast<long long>(v) : 0) &
           ((FloatBits{1} << format.bits) - 1);
  const int width = fraction_bits(format);
  const int shift = 52 - width;
  const FloatBits sign = bits >> 63 << (format.bits - 1);
  const FloatBits fraction = bits & ((FloatBits{1} << 52) - 1);
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff);
  if (exponent == 0x7ff) {
    const FloatBits top = ((FloatBits{1} << format.exponent_bits) - 1) << width;
    if (!format.has_infinity) return sign | top | ((FloatBits{1} << width) - 1);
    const bool vanishes = fraction != 0 && fraction >> shift == 0;
    return sign | top | (vanishes ? FloatBits{1} << (width - 1) : fraction >> shift);
  }
  const int biased = exponent - 1023 + 1 - format.min_exponent;
  if (biased > 0) return sign | static_cast<FloatBits>(biased) << width | fraction >> shift;
  if (biased <= -width) return sign;
  return sign | (FloatBits{1} << 52 | fraction) >> (shift + 1 - biased);
}

}  // namespace NORMPROOF_SIDE

/// Returns the number that the bits store, exactly. The conversion uses only integer operations, so
/// a NaN keeps its sign and payload on every machine.
/// Requires  (C1) no bit beyond the format's bits is set
double decode(const FloatFormat& format, FloatBits bits);

}  // namespace normproof::ref::numeric
