#pragma once

#include "ref/numeric/device_function.hpp"

/// The binary floating-point formats that tensors are stored in and that implementations compute
/// in: one table, and functions of its rows. GPU code rounds by this header too.
namespace normproof::ref::numeric {

/// The rows of the table. tf32 is the part of a float32 that a GPU's matrix unit reads; tensors are
/// not stored in it. The 8-bit formats are those of [MSB+22]; they are for storage only.
enum class FloatType { float64, float32, tf32, bfloat16, float16, float8_e4m3fn, float8_e5m2 };

/// A format has a sign, an exponent, and significant digits whose leading one is not stored. Below
/// the smallest normal number lie the subnormal numbers.
struct FloatFormat {
  FloatType type;
  const char* name;
  int bytes;  ///< of a stored number
  int exponent_bits;
  int digits;        ///< of the significand, including the leading one
  int min_exponent;  ///< of the smallest normal number, which is a power of two
  int max_exponent;  ///< of the largest power of two
  /// Whether the format has infinities. If not, all bits set means NaN, and all other patterns are
  /// numbers, as in e4m3 [MSB+22].
  bool has_infinity;
  double largest;
  double smallest_normal;
  double smallest_subnormal;
  double unit_roundoff;  ///< half the distance from 1 to the next number
};

/// Returns 2^exponent.
/// Requires  (C1) -1074 <= exponent <= 1023
constexpr double two_to(int exponent) {
  using Bits = unsigned long long;
  const Bits bits =
      exponent < -1022 ? Bits{1} << (exponent + 1074) : static_cast<Bits>(exponent + 1023) << 52;
  return __builtin_bit_cast(double, bits);
}

/// Returns the row that follows from these parameters. The largest exponent encodes infinity and
/// NaN as in IEEE 754. In a format without infinity it encodes numbers and a single NaN.
constexpr FloatFormat float_format(FloatType type, const char* name, int bytes, int exponent_bits,
                                   int digits, bool has_infinity = true) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int min_exponent = 1 - bias, max_exponent = has_infinity ? bias : bias + 1;
  const double largest_significand = 2 - two_to((has_infinity ? 1 : 2) - digits);
  return {.type = type,
          .name = name,
          .bytes = bytes,
          .exponent_bits = exponent_bits,
          .digits = digits,
          .min_exponent = min_exponent,
          .max_exponent = max_exponent,
          .has_infinity = has_infinity,
          .largest = largest_significand * two_to(max_exponent),
          .smallest_normal = two_to(min_exponent),
          .smallest_subnormal = two_to(min_exponent - digits + 1),
          .unit_roundoff = two_to(-digits)};
}

/// The table, in the order of FloatType.
inline constexpr FloatFormat kFloatFormats[] = {
    float_format(FloatType::float64, "float64", 8, 11, 53),
    float_format(FloatType::float32, "float32", 4, 8, 24),
    float_format(FloatType::tf32, "tf32", 4, 8, 11),
    float_format(FloatType::bfloat16, "bfloat16", 2, 8, 8),
    float_format(FloatType::float16, "float16", 2, 5, 11),
    float_format(FloatType::float8_e4m3fn, "float8_e4m3fn", 1, 4, 4, false),
    float_format(FloatType::float8_e5m2, "float8_e5m2", 1, 5, 3)};

constexpr const FloatFormat& format_of(FloatType type) {
  return kFloatFormats[static_cast<int>(type)];
}

/// Whether tensors can be stored in the format: sign, exponent and digits fill its bytes.
constexpr bool is_stored(const FloatFormat& format) {
  return format.exponent_bits + format.digits == 8 * format.bytes;
}

/// Whether implementations compute in the format, with sums and products in it. This excludes the
/// 8-bit formats.
constexpr bool is_used_for_arithmetic(const FloatFormat& format) {
  return format.bytes > 1;
}

/// The result of rounding a number above the largest, or an infinity.
enum class Overflow {
  special,  ///< infinity, or NaN if the format has no infinity
  saturate  ///< the largest number, with the sign of the operand
};

inline namespace NORMPROOF_SIDE {

/// Returns the number of the format nearest to v, ties to even, as if its exponents were unbounded
/// above. If that exceeds the largest number, `overflow` decides the result. 0 keeps its sign.
/// Requires  (C1) format.digits is 53, or at most 51
NORMPROOF_DEVICE constexpr double round_to(const FloatFormat& format, double v,
                                           Overflow overflow = Overflow::special) {
  using Bits = unsigned long long;
  if (format.digits == 53 || v != v) return v;
  const int exponent = static_cast<int>(__builtin_bit_cast(Bits, v) >> 52 & 0x7ff) - 1023;
  double rounded = v;
  if (exponent < 1024) {
    const int least = exponent < format.min_exponent ? format.min_exponent : exponent;
    const double unit =
        __builtin_bit_cast(double, static_cast<Bits>(least - format.digits + 1 + 1023) << 52);
    // |v / unit| < 2^digits, so adding and subtracting 1.5 2^52 rounds it to an integer.
    rounded = ((v / unit + 0x1.8p52) - 0x1.8p52) * unit;
  }
  if (-format.largest <= rounded && rounded <= format.largest)
    return rounded == 0 ? v * 0.0 : rounded;  // keeps the sign of zero
  if (overflow == Overflow::saturate) return v < 0 ? -format.largest : format.largest;
  const Bits sign = __builtin_bit_cast(Bits, v) >> 63 << 63;
  const Bits special = format.has_infinity ? 0x7ff0000000000000 : 0x7ff8000000000000;
  return __builtin_bit_cast(double, sign | special);
}

}  // namespace NORMPROOF_SIDE

/// Rounds v to the format of that type.
double round_to(FloatType type, double v);

}  // namespace normproof::ref::numeric
