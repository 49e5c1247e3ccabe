#include "ref/numeric/float_bits.hpp"

#include <bit>
#include <cstdint>

namespace normproof::ref::numeric {

double decode(const FloatFormat& format, FloatBits bits) {
  if (format.bytes == 8) return std::bit_cast<double>(bits);
  if (is_integer_format(format)) {
    const FloatBits sign = FloatBits{1} << (format.bits - 1);
    return static_cast<double>(static_cast<std::int64_t>(bits ^ sign)) - static_cast<double>(sign);
  }
  const int width = fraction_bits(format);
  const FloatBits mask = (FloatBits{1} << width) - 1;
  const FloatBits top = (FloatBits{1} << format.exponent_bits) - 1;
  const FloatBits sign = bits >> (format.bits - 1) << 63;
  const FloatBits exponent = bits >> width & top;
  FloatBits fraction = bits & mask;
  FloatBits widened = 0;
  if (exponent == top && (format.has_infinity || (format.has_nan && fraction == mask))) {
    widened = 0x7ff;
  } else if (exponent > 0 || fraction > 0) {
    int shift = 0;
    if (exponent == 0) {  // subnormal: its leading one becomes the hidden bit
      shift = std::countl_zero(fraction) - (63 - width);
      fraction = fraction << shift & mask;
    }
    const int biased =
        1023 + format.min_exponent - shift + (exponent == 0 ? 0 : static_cast<int>(exponent) - 1);
    widened = static_cast<FloatBits>(biased);
  }
  return std::bit_cast<double>(sign | widened << 52 | fraction << (52 - width));
}

}  // namespace normproof::ref::numeric
