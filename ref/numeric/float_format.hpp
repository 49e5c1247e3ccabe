#pragma once

#include "ref/numeric/device_function.hpp"

/// A table of the binary floating-point formats in which tensors are stored or implementations
/// compute, and functions that use the table. GPU code rounds by this header too.
namespace normproof::ref::numeric {

/// The floating-point formats. tf32 is the part of a float32 that a GPU's matrix unit reads;
/// tensors are not stored in it. The formats of at most 8 bits are for storage only: two of
/// [MSB+22], int8, and float4_e2m1fn of [RZM+23]. The numbers of int8 are the integers from -127 to
/// 127, and quotients are rounded to them as to a format whose numbers are all subnormal. The
/// numbers of float4_e2m1fn are 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives.
enum class FloatType {
  float64,
  float32,
  tf32,
  bfloat16,
  float16,
  float8_e4m3fn,
  float8_e5m2,
  int8,
  float4_e2m1fn
};

/// A floating-point format: a sign, an exponent, and a significand whose leading digit is not
/// stored. Numbers below the smallest normal number are subnormal.
struct FloatFormat {
  FloatType type;
  const char* name;
  int bytes;  ///< the size of a stored number in memory
  int bits;   ///< the bits of a stored number: 8 times the bytes, or 4 in the lower half of a byte
  int exponent_bits;
  int digits;        ///< binary digits of the significand, including the leading one
  int min_exponent;  ///< the exponent k of the smallest normal number, 2^k
  int max_exponent;  ///< the exponent k of the largest power of two, 2^k
  /// Whether the format has infinities. If it has none, only the pattern of all ones is a NaN, and
  /// all other bit patterns are numbers, as in e4m3 [MSB+22].
  bool has_infinity;
  bool has_nan;  ///< whether the format has a NaN; int8 and float4_e2m1fn have none
  double largest;
  double smallest_normal;
  double smallest_subnormal;
  double unit_roundoff;  ///< half the distance from 1 to the next number
};

/// Returns 2^exponent.
/// Requires  (C1) -1074 <= exponent <= 1023
constexpr double exact_power_of_two(int exponent) {
  using Bits = unsigned long long;
  const Bits bits =
      exponent < -1022 ? Bits{1} << (exponent + 1074) : static_cast<Bits>(exponent + 1023) << 52;
  return __builtin_bit_cast(double, bits);
}

/// Returns the description of the format that has these parameters. As in IEEE 754, the largest
/// exponent encodes infinity and NaN. In a format without infinity, the largest exponent encodes
/// numbers and a single NaN, or numbers alone if there is no NaN.
/// Requires  (C1) has_nan, if has_infinity
constexpr FloatFormat float_format(FloatType type, const char* name, int bytes, int exponent_bits,
                                   int digits, bool has_infinity = true, bool has_nan = true) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int min_exponent = 1 - bias, max_exponent = has_infinity ? bias : bias + 1;
  const bool has_one_nan = has_nan && !has_infinity;
  const double largest_significand = 2 - exact_power_of_two((has_one_nan ? 2 : 1) - digits);
  return {.type = type,
          .name = name,
          .bytes = bytes,
          .bits = exponent_bits + digits == 4 ? 4 : 8 * bytes,
          .exponent_bits = exponent_bits,
          .digits = digits,
          .min_exponent = min_exponent,
          .max_exponent = max_exponent,
          .has_infinity = has_infinity,
          .has_nan = has_nan,
          .largest = largest_significand * exact_power_of_two(max_exponent),
          .smallest_normal = exact_power_of_two(min_exponent),
          .smallest_subnormal = exact_power_of_two(min_exponent - digits + 1),
          .unit_roundoff = exact_power_of_two(-digits)};
}

/// Returns the description of integers of `bits` bits. No bit of theirs is for an exponent, and the
/// smallest "normal" number is out of range. The code of the largest magnitude with a negative sign
/// is not used, so that the range is symmetric.
constexpr FloatFormat integer_format(FloatType type, const char* name, int bits) {
  return {.type = type,
          .name = name,
          .bytes = bits / 8,
          .bits = bits,
          .exponent_bits = 0,
          .digits = bits,
          .min_exponent = bits - 1,
          .max_exponent = bits - 2,
          .has_infinity = false,
          .has_nan = false,
          .largest = exact_power_of_two(bits - 1) - 1,
          .smallest_normal = exact_power_of_two(bits - 1),
          .smallest_subnormal = 1,
          .unit_roundoff = exact_power_of_two(-bits)};
}
inline namespace NORMPROOF_SIDE {

/// Whether the format has integers alone.
NORMPROOF_DEVICE constexpr bool is_integer_format(const FloatFormat& format) {
  return format.exponent_bits == 0;
}

}  // namespace NORMPROOF_SIDE

/// The table of the formats, in the order of FloatType.
inline constexpr FloatFormat kFloatFormats[] = {
    float_format(FloatType::float64, "float64", 8, 11, 53),
    float_format(FloatType::float32, "float32", 4, 8, 24),
    float_format(FloatType::tf32, "tf32", 4, 8, 11),
    float_format(FloatType::bfloat16, "bfloat16", 2, 8, 8),
    float_format(FloatType::float16, "float16", 2, 5, 11),
    float_format(FloatType::float8_e4m3fn, "float8_e4m3fn", 1, 4, 4, false),
    float_format(FloatType::float8_e5m2, "float8_e5m2", 1, 5, 3),
    integer_format(FloatType::int8, "int8", 8),
    float_format(FloatType::float4_e2m1fn, "float4_e2m1fn", 1, 2, 2, false, false)};

constexpr const FloatFormat& float_format_info(FloatType type) {
  return kFloatFormats[static_cast<int>(type)];
}

/// Whether tensors can be stored in the format. A format can be stored if its sign, exponent and
/// digits fill its bits.
constexpr bool is_storage_format(const FloatFormat& format) {
  return format.exponent_bits + format.digits == format.bits;
}

/// Whether implementations add and multiply in the format. They do so in all formats of more than 8
/// bits.
constexpr bool is_used_for_arithmetic(const FloatFormat& format) {
  return format.bytes > 1;
}

/// The result of rounding an infinity, or a number above the format's largest number, to the
/// format.
enum class Overflow {
  special,  ///< returns infinity, or NaN if the format has no infinity
  saturate  ///< returns the largest number, with the sign of the operand
};

inline namespace NORMPROOF_SIDE {

/// Returns the number of the format nearest to v, ties to even. A zero keeps its sign. The rounding
/// ignores the format's upper limit; if the rounded number exceeds the limit, `overflow` decides
/// what is returned.
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
    // Because |v / unit| < 2^digits, adding and subtracting 1.5 2^52 rounds v / unit to an integer.
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

/// Returns v rounded to the format `type`.
double round_to(FloatType type, double v);

}  // namespace normproof::ref::numeric
