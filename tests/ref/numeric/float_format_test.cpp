#include "ref/numeric/float_format.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "ref/numeric/random.hpp"
#include "ref/numeric/real.hpp"
#include "tests/ref/numeric/formats_of_few_bits.hpp"
#include "tests/ref/numeric/special_values.hpp"
#include "tests/verification/checks/compare/expect.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace normproof::ref::numeric {
namespace {

using verification::checks::compare::is_same_number;

/// Returns the number that would follow the largest number of the format if the exponent range were
/// not limited.
double next_beyond_largest(const FloatFormat& format) {
  return format.largest + std::ldexp(1, format.max_exponent - format.digits + 1);
}

TEST(FloatFormat, NativeFormatsMatchNumericLimits) {
  const auto expect_limits = []<class F>(F, FloatType type) {
    using Limits = std::numeric_limits<F>;
    const FloatFormat& row = float_format_info(type);
    EXPECT_EQ(row.bytes, static_cast<int>(sizeof(F)));
    EXPECT_EQ(row.digits, Limits::digits);
    EXPECT_EQ(row.min_exponent, Limits::min_exponent - 1);
    EXPECT_EQ(row.max_exponent, Limits::max_exponent - 1);
    EXPECT_EQ(row.largest, static_cast<double>(Limits::max()));
    EXPECT_EQ(row.smallest_normal, static_cast<double>(Limits::min()));
    EXPECT_EQ(row.smallest_subnormal, static_cast<double>(Limits::denorm_min()));
    EXPECT_EQ(row.unit_roundoff, static_cast<double>(Limits::epsilon()) / 2);
  };
  expect_limits(double{}, FloatType::float64);
  expect_limits(float{}, FloatType::float32);
}

TEST(FloatFormat, OtherFormatsMatchKnownValues) {
  const FloatFormat &half = float_format_info(FloatType::float16),
                    &brain = float_format_info(FloatType::bfloat16),
                    &tf32 = float_format_info(FloatType::tf32);
  EXPECT_EQ(half.largest, 65504);
  EXPECT_EQ(half.smallest_normal, 0x1p-14);
  EXPECT_EQ(half.smallest_subnormal, 0x1p-24);
  EXPECT_EQ(half.unit_roundoff, 0x1p-11);
  EXPECT_EQ(brain.largest, 0x1.fep127);
  EXPECT_EQ(brain.smallest_subnormal, 0x1p-133);
  EXPECT_EQ(brain.unit_roundoff, 0x1p-8);
  EXPECT_EQ(tf32.largest, 0x1.ffcp127);
  EXPECT_EQ(tf32.smallest_subnormal, 0x1p-136);
  EXPECT_EQ(kE4m3fn.largest, 448);
  EXPECT_EQ(kE4m3fn.smallest_normal, 0x1p-6);
  EXPECT_EQ(kE4m3fn.smallest_subnormal, 0x1p-9);
  EXPECT_EQ(kE5m2.largest, 57344);
  EXPECT_EQ(kE5m2.smallest_subnormal, 0x1p-16);
}

TEST(FloatFormat, Int8HasTheIntegersOfASymmetricRange) {
  const FloatFormat& format = float_format_info(FloatType::int8);
  EXPECT_TRUE(is_integer_format(format));
  EXPECT_FALSE(is_integer_format(kE4m3fn));
  for (int i = -127; i <= 127; ++i) EXPECT_EQ(round_to(format, i), i);
  for (const auto& [v, rounded] : {std::pair(0.5, 0.0),
                                   {1.5, 2.0},
                                   {-2.5, -2.0},
                                   {63.5, 64.0},
                                   {126.5, 126.0},
                                   {-0.75, -1.0},
                                   {127.49, 127.0}})
    EXPECT_EQ(round_to(format, v), rounded) << v;
  for (const double v : {127.5, 128.0, 200.25, 1e300})
    for (const double sign : {-1.0, 1.0})
      EXPECT_EQ(round_to(format, sign * v, Overflow::saturate), sign * 127) << v;
}

TEST(FloatFormat, E2m1HasEightMagnitudesAndRoundsTiesToEven) {
  EXPECT_THAT(nonnegative_numbers(kE2m1fn), testing::ElementsAre(0, 0.5, 1, 1.5, 2, 3, 4, 6));
  EXPECT_EQ(kE2m1fn.largest, 6);
  EXPECT_EQ(kE2m1fn.bits, 4);
  EXPECT_FALSE(kE2m1fn.has_nan || kE2m1fn.has_infinity);
  EXPECT_TRUE(is_storage_format(kE2m1fn));
  EXPECT_FALSE(is_used_for_arithmetic(kE2m1fn));
  for (const auto& [v, rounded] : {std::pair(0.25, 0.0),
                                   {0.75, 1.0},
                                   {-1.25, -1.0},
                                   {1.75, 2.0},
                                   {2.5, 2.0},
                                   {3.5, 4.0},
                                   {-5.0, -4.0},
                                   {5.001, 6.0}})
    EXPECT_EQ(round_to(kE2m1fn, v), rounded) << v;
  for (const double v : {6.5, 7.0, 8.0, 1e300})
    EXPECT_EQ(round_to(kE2m1fn, -v, Overflow::saturate), -6) << v;
}

TEST(FloatFormat, TableIsInTheOrderOfTheTypes) {
  for (const FloatFormat& row : kFloatFormats)
    EXPECT_EQ(&float_format_info(row.type), &row) << row.name;
  for (const FloatFormat& row : kFloatFormats)
    EXPECT_EQ(is_storage_format(row), row.type != FloatType::tf32) << row.name;
}

TEST(RoundTo, KeepsNumbersOfTheFormatAndRoundsTiesToEven) {
  for (const FloatFormat& format : small_formats()) {
    std::vector<double> numbers = nonnegative_numbers(format);
    ASSERT_EQ(numbers.back(), format.largest);
    const bool largest_is_even = numbers.size() % 2 == 1;
    numbers.push_back(next_beyond_largest(format));
    for (std::size_t k = 0; k + 1 < numbers.size(); ++k) {
      const double below = numbers[k];
      const bool last = k + 2 == numbers.size();
      const double above = !last ? numbers[k + 1] : format.has_infinity ? kInfinity : kNaN;
      const double tie = below + (numbers[k + 1] - below) / 2;  // exact
      const double even = (last ? largest_is_even : k % 2 == 0) ? below : above;
      for (const double sign : {1.0, -1.0}) {
        const auto round = [&](double v) { return round_to(format, sign * v); };
        EXPECT_BITS_EQ(round(below), sign * below);
        EXPECT_BITS_EQ(round(std::nextafter(tie, 0.0)), sign * below);
        EXPECT_TRUE(is_same_number(round(tie), sign * even)) << below;
        EXPECT_TRUE(is_same_number(round(std::nextafter(tie, kInfinity)), sign * above)) << below;
      }
    }
  }
}

// Distances to the neighboring numbers of the format are computed at 50 digits.
TEST(RoundTo, ReturnsANearestNumber) {
  const RandomStream random(5, "nearest");
  const auto distance = [](double a, double b) { return oracle50(abs(oracle50(a) - oracle50(b))); };
  for (const FloatFormat& format : small_formats()) {
    const std::vector<double> numbers = nonnegative_numbers(format);
    for (std::uint64_t i = 0; i < 4000; ++i) {
      const int exponent =
          format.min_exponent - format.digits - 4 +
          static_cast<int>(random.below(
              2 * i, static_cast<std::uint64_t>(format.max_exponent - format.min_exponent +
                                                format.digits + 4)));
      const double v = std::ldexp(1 + random.uniform(2 * i + 1), exponent);
      const double rounded = round_to(format, v);
      if (v >= format.largest) continue;
      ASSERT_TRUE(std::ranges::binary_search(numbers, rounded)) << format.name << " " << v;
      const auto next = std::ranges::upper_bound(numbers, v);
      ASSERT_LE(distance(v, rounded), distance(v, *next)) << format.name << " " << v;
      ASSERT_LE(distance(v, rounded), distance(v, *std::prev(next))) << format.name << " " << v;
    }
  }
}

TEST(RoundTo, RoundsOnceAndNotThroughFloat32) {
  // The value is slightly above a tie of float16; rounding to float32 first would lose the
  // difference.
  const double v = 1 + 0x1p-11 + 0x1p-40;
  EXPECT_EQ(round_to(FloatType::float16, static_cast<double>(static_cast<float>(v))), 1);
  EXPECT_EQ(round_to(FloatType::float16, v), 1 + 0x1p-10);
  EXPECT_EQ(round_to(FloatType::bfloat16, 1 + 0x1p-8 + 0x1p-40), 1 + 0x1p-7);
  EXPECT_EQ(round_to(FloatType::tf32, 1 + 0x1p-11 + 0x1p-40), 1 + 0x1p-10);
  EXPECT_EQ(round_to(kE4m3fn, 1 + 0x1p-4 + 0x1p-40), 1.125);
}

TEST(RoundTo, Float32AgreesWithTheProcessor) {
  const RandomStream random(1, "round");
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const double scale = i % 3 == 0 ? 0x1p-140 : i % 3 == 1 ? 0x1p128 : 1.0;
    const double v = random.normal(i) * scale;
    EXPECT_BITS_EQ(round_to(FloatType::float32, v), static_cast<double>(static_cast<float>(v)));
    // Tests a tie of float32 and its neighbors.
    const auto a = static_cast<float>(v);
    const double tie = (static_cast<double>(a) + static_cast<double>(std::nextafterf(a, 0))) / 2;
    for (const double near : {tie, std::nextafter(tie, 0.0), std::nextafter(tie, kInfinity)})
      EXPECT_BITS_EQ(round_to(FloatType::float32, near),
                     static_cast<double>(static_cast<float>(near)));
  }
}

#if defined(__x86_64__)
[[gnu::target("f16c")]] float round_to_half(float v) {
  return _cvtsh_ss(_cvtss_sh(v, _MM_FROUND_TO_NEAREST_INT));
}

TEST(RoundTo, Float16AgreesWithTheProcessor) {
  if (!__builtin_cpu_supports("f16c")) GTEST_SKIP() << "this processor has no F16C";
  const RandomStream random(2, "half");
  for (std::uint64_t i = 0; i < 200000; ++i) {
    const auto v =
        std::bit_cast<float>(static_cast<std::uint32_t>(random.below(i, std::uint64_t{1} << 32)));
    if (std::isnan(v)) continue;
    EXPECT_BITS_EQ(round_to(FloatType::float16, static_cast<double>(v)),
                   static_cast<double>(round_to_half(v)));
  }
}
#endif

TEST(RoundTo, OverflowGivesInfinityNanOrTheLargestNumber) {
  for (const FloatFormat& format : small_formats()) {
    const double special = format.has_infinity ? kInfinity : kNaN;
    for (const double v : {next_beyond_largest(format), 1e30 * format.largest, kInfinity}) {
      EXPECT_TRUE(is_same_number(round_to(format, v), special)) << format.name;
      EXPECT_EQ(round_to(format, v, Overflow::saturate), format.largest) << format.name;
      EXPECT_EQ(round_to(format, -v, Overflow::saturate), -format.largest) << format.name;
      EXPECT_TRUE(std::signbit(round_to(format, -v))) << format.name;
    }
    EXPECT_TRUE(std::isnan(round_to(format, kNaN)));
    EXPECT_TRUE(std::isnan(round_to(format, kNaN, Overflow::saturate)));
  }
  // 464 is halfway from 448 to 480, and the bits of 480 are those of NaN.
  EXPECT_EQ(round_to(kE4m3fn, 464), 448);
  EXPECT_TRUE(std::isnan(round_to(kE4m3fn, std::nextafter(464.0, 500.0))));
  EXPECT_BITS_EQ(round_to(FloatType::float16, 65519.999), 65504.0);
  EXPECT_BITS_EQ(round_to(FloatType::float16, 65520), kInfinity);
  EXPECT_BITS_EQ(round_to(FloatType::float16, -1e300), -kInfinity);
}

TEST(RoundTo, KeepsTheSignOfZeroAndEveryFloat64) {
  for (const FloatFormat& format : small_formats()) {
    EXPECT_BITS_EQ(round_to(format, 0.0), 0.0);
    EXPECT_BITS_EQ(round_to(format, -0.0), -0.0);
    EXPECT_BITS_EQ(round_to(format, -format.smallest_subnormal / 2), -0.0);
    EXPECT_BITS_EQ(round_to(format, 0x1p-1074), 0.0);
  }
  for (const double v : {0.1, -0x1p-1074, -0.0, std::numeric_limits<double>::max(), -kInfinity})
    EXPECT_BITS_EQ(round_to(FloatType::float64, v), v);
}

}  // namespace
}  // namespace normproof::ref::numeric
