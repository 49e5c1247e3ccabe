#pragma once

#include <cmath>
#include <vector>

#include "ref/numeric/float_format.hpp"

/// Low-precision floating-point formats, and a function that computes every number of such a format
/// directly from the definition.
namespace normproof::ref::numeric {

/// The two 8-bit formats of [MSB+22]. e4m3 has no infinity and a single NaN. e5m2 follows IEEE 754.
/// The 4-bit format of [RZM+23] has numbers alone.
inline constexpr const FloatFormat& kE4m3fn = float_format_info(FloatType::float8_e4m3fn);
inline constexpr const FloatFormat& kE5m2 = float_format_info(FloatType::float8_e5m2);
inline constexpr const FloatFormat& kE2m1fn = float_format_info(FloatType::float4_e2m1fn);

inline const std::vector<FloatFormat>& small_formats() {
  static const std::vector<FloatFormat> formats = {float_format_info(FloatType::float16),
                                                   float_format_info(FloatType::bfloat16), kE4m3fn,
                                                   kE5m2, kE2m1fn};
  return formats;
}

/// Returns the numbers of a format from 0 to the largest in ascending order, so that number k has
/// the bits k. A number with exponent field e and fraction f is `0.f * 2^(1 - bias)` if e is 0,
/// else `1.f * 2^(e - bias)`.
inline std::vector<double> nonnegative_numbers(const FloatFormat& format) {
  const int fraction_bits = format.digits - 1, bias = (1 << (format.exponent_bits - 1)) - 1;
  const int ones = (1 << format.exponent_bits) - 1;
  std::vector<double> values;
  for (int exponent = 0; exponent <= ones; ++exponent)
    for (int fraction = 0; fraction < 1 << fraction_bits; ++fraction) {
      const bool is_nan = format.has_nan && fraction == (1 << fraction_bits) - 1;
      if (exponent == ones && (format.has_infinity || is_nan)) continue;
      const int significand = exponent == 0 ? fraction : fraction + (1 << fraction_bits);
      values.push_back(
          std::ldexp(significand, (exponent == 0 ? 1 : exponent) - bias - fraction_bits));
    }
  return values;
}

}  // namespace normproof::ref::numeric
