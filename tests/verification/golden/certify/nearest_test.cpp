#include "verification/golden/certify/nearest.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "ref/numeric/errors.hpp"
#include "ref/numeric/random.hpp"
#include "tests/verification/golden/certify/samples.hpp"

namespace normproof::verification::golden::certify {
namespace {

using ref::numeric::ball;
using ref::numeric::BallPrecision;

constexpr DType kFloatDTypes[] = {DType::float64, DType::float32, DType::float16, DType::bfloat16};

/// Returns `2^exponent` exactly.
ball power_of_two(slong exponent) {
  ball x(1);
  arb_mul_2exp_si(x.get(), x.get(), exponent);
  return x;
}

double round_to_nearest(const ball& x, DType dtype) {
  const auto result = nearest(x, dtype);
  return result ? result->value : kGoldenNaN;
}

TEST(NearestStoredNumber, FollowsTheOverflowModeForValuesOutOfRangeOf8BitFormats) {
  using ref::numeric::Overflow;
  const auto at = [](double x, DType dtype, Overflow overflow) {
    return nearest(ball(x), dtype, overflow)->value;
  };
  EXPECT_EQ(at(463, DType::float8_e4m3fn, Overflow::special), 448);
  EXPECT_TRUE(std::isnan(at(465, DType::float8_e4m3fn, Overflow::special)));
  EXPECT_EQ(at(-465, DType::float8_e4m3fn, Overflow::saturate), -448);
  EXPECT_EQ(at(1e300, DType::float8_e4m3fn, Overflow::saturate), 448);
  EXPECT_EQ(at(1e9, DType::float8_e5m2, Overflow::special), kGoldenInfinity);
  EXPECT_EQ(at(-1e9, DType::float8_e5m2, Overflow::saturate), -57344);
  const ref::numeric::RandomStream random(1, "nearest of 8 bits");
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const double x = std::ldexp(random.normal(i), static_cast<int>(i % 30) - 20);
    for (const DType dtype : {DType::float8_e4m3fn, DType::float8_e5m2}) {
      const double machine =
          round_to(float_format_info(corpus::storage_format(dtype)), x, Overflow::saturate);
      EXPECT_EQ(at(x, dtype, Overflow::saturate), machine) << x;
    }
  }
}

TEST(NearestStoredNumber, AgreesWithHardwareRoundingForExactNumbers) {
  const ref::numeric::RandomStream random(1, "nearest");
  for (std::uint64_t i = 0; i < 4000; ++i) {
    // Covers more than the range of every format, including subnormal numbers.
    const double x =
        std::ldexp(random.normal(2 * i), static_cast<int>(random.below(2 * i + 1, 340)) - 170);
    EXPECT_EQ(round_to_nearest(ball(x), DType::float64), x);
    EXPECT_EQ(round_to_nearest(ball(x), DType::float32),
              static_cast<double>(static_cast<float>(x)));
    for (const DType dtype : {DType::float32, DType::float16, DType::bfloat16})
      EXPECT_EQ(round_to_nearest(ball(x), dtype), round_to_dtype(dtype, x)) << x;
    EXPECT_FALSE(nearest(ball(x), DType::float16)->tie);
  }
}

/// Checks every midpoint between two adjacent numbers of a 16-bit format, and points next to each
/// midpoint.
void expect_ties_to_even(DType dtype, std::uint16_t infinity) {
  std::vector<double> numbers;
  for (std::uint16_t bits = 0; bits < infinity; ++bits) {
    StoredTensor one{"t", dtype, {1}, std::vector<std::byte>(2)};
    one.bytes[0] = static_cast<std::byte>(bits & 0xff);
    one.bytes[1] = static_cast<std::byte>(bits >> 8);
    numbers.push_back(ref::io::widen(one)[0]);
  }
  const BallPrecision high_precision(600);
  for (std::size_t i = 0; i + 1 < numbers.size(); ++i) {
    const double halfway = numbers[i] / 2 + numbers[i + 1] / 2;
    const ball little = power_of_two(-300);
    const double even = numbers[i % 2 == 0 ? i : i + 1];
    ASSERT_EQ(round_to_nearest(ball(halfway), dtype), even) << numbers[i];
    ASSERT_EQ(round_to_nearest(ball(-halfway), dtype), even == 0 ? 0 : -even);
    ASSERT_EQ(round_to_nearest(ball(halfway) - little, dtype), numbers[i]);
    ASSERT_EQ(round_to_nearest(ball(halfway) + little, dtype), numbers[i + 1]);
  }
  const double largest = numbers.back(), step = largest - numbers[numbers.size() - 2];
  ASSERT_EQ(round_to_nearest(ball(largest + step / 2), dtype), kGoldenInfinity);
  ASSERT_EQ(round_to_nearest(ball(-largest - step / 2), dtype), -kGoldenInfinity);
  ASSERT_EQ(round_to_nearest(ball(largest + step / 2) - power_of_two(-300), dtype), largest);
}

TEST(NearestStoredNumber, RoundsEveryFloat16TieToEven) {
  expect_ties_to_even(DType::float16, 0x7c00);
}
TEST(NearestStoredNumber, RoundsEveryBfloat16TieToEven) {
  expect_ties_to_even(DType::bfloat16, 0x7f80);
}

TEST(NearestStoredNumber, IsCorrectAtTheLimitsOfFloat32AndFloat64) {
  const BallPrecision high_precision(2400);
  struct Format {
    DType dtype;
    /// The exponents of the smallest subnormal number and of the largest power of two.
    slong least, largest;
    int digits;
  };
  for (const Format f :
       {Format{DType::float32, -149, 127, 24}, {DType::float64, -1074, 1023, 53}}) {
    const double least = std::ldexp(1.0, static_cast<int>(f.least));
    const ball half = power_of_two(f.least - 1), little = power_of_two(-1200);
    EXPECT_EQ(round_to_nearest(half, f.dtype), 0);
    EXPECT_FALSE(std::signbit(round_to_nearest(-half, f.dtype)));
    EXPECT_EQ(round_to_nearest(half + little, f.dtype), least);
    EXPECT_EQ(round_to_nearest(half * ball(3), f.dtype), 2 * least);
    EXPECT_EQ(round_to_nearest(half * ball(3) - little, f.dtype), least);
    const double most = std::ldexp(2 - std::ldexp(1.0, 1 - f.digits), static_cast<int>(f.largest));
    const ball overflow_value = ball(most) + power_of_two(f.largest - f.digits);
    EXPECT_EQ(round_to_nearest(ball(most), f.dtype), most);
    EXPECT_EQ(round_to_nearest(overflow_value, f.dtype), kGoldenInfinity);
    EXPECT_EQ(round_to_nearest(overflow_value - little, f.dtype), most);
    EXPECT_EQ(round_to_nearest(-overflow_value, f.dtype), -kGoldenInfinity);
  }
}

/// Returns one end of the ball x as an exact number. `bound` is Arb's function for the lower or the
/// upper end.
ball find_enclosure_end(const ball& x, void (*bound)(arf_t, const arb_t, slong)) {
  ball end;
  bound(arb_midref(end.get()), x.get(), 4000);
  return end;
}

TEST(NearestStoredNumber, EqualsTheRoundingOfBothEndsOfTheEnclosure) {
  const ref::numeric::RandomStream random(2, "nearest");
  const BallPrecision fine(200);
  std::size_t decided = 0, open = 0;
  for (std::uint64_t i = 0; i < 40000; i += 4) {
    const DType dtype = kFloatDTypes[i / 4 % 4];
    const int range = dtype == DType::float64 ? 1100 : dtype == DType::float16 ? 30 : 160;
    const double number = round_to_dtype(
        dtype,
        std::ldexp(random.normal(i), static_cast<int>(random.below(i + 1, 2 * range)) - range));
    if (!std::isfinite(number) || number == 0) continue;
    // A ball around the midpoint of `number` and the next number. The relative offset and radius
    // are about 2^-60.
    constexpr int kSignificandBits[] = {53, 24, 11, 8};
    const slong half = std::ilogb(number) - kSignificandBits[i / 4 % 4];
    ball x =
        ball(number) + power_of_two(half) + ball(random.normal(i + 2)) * power_of_two(half - 60);
    const ball radius = ball(std::abs(random.normal(i + 3))) * power_of_two(half - 60);
    arb_add_error(x.get(), radius.get());
    const auto low = nearest(find_enclosure_end(x, arb_get_lbound_arf), dtype);
    const auto high = nearest(find_enclosure_end(x, arb_get_ubound_arf), dtype);
    const auto both = nearest(x, dtype);
    ASSERT_TRUE(low && high);
    ASSERT_EQ(both.has_value(), low->value == high->value) << number;
    if (both) {
      ASSERT_EQ(both->value, low->value) << number;
    }
    (both ? decided : open) += 1;
  }
  EXPECT_GT(decided, 3000U);
  EXPECT_GT(open, 1500U);
}

TEST(NearestStoredNumber, IsAbsentIfPointsOfTheEnclosureRoundDifferently) {
  const BallPrecision coarse(40);
  const ball third = ball(1) / ball(3);
  EXPECT_FALSE(nearest(third, DType::float64));
  EXPECT_EQ(round_to_nearest(third, DType::float32), static_cast<double>(1.0F / 3.0F));
  // 1 plus half an ulp of float32. The enclosure contains the tie.
  const ball tie = third * ball(3) + power_of_two(-24);
  EXPECT_FALSE(nearest(tie, DType::float32));
  ball all;
  arb_zero_pm_inf(all.get());
  ball nan;
  arb_indeterminate(nan.get());
  for (const DType dtype : kFloatDTypes) {
    EXPECT_FALSE(nearest(all, dtype));
    EXPECT_FALSE(nearest(nan, dtype));
  }
}

TEST(NearestStoredNumber, NarrowEnclosureOfAMidpointIsATie) {
  const BallPrecision fine(1300);
  const ball one = ball(1) / ball(3) * ball(3);
  ASSERT_FALSE(one == ball(1));
  const auto below = nearest(one + power_of_two(-24), DType::float32);
  ASSERT_TRUE(below);
  EXPECT_TRUE(below->tie);
  EXPECT_EQ(below->value, 1);
  const auto above = nearest(one * ball(1 + 0x1p-23) + power_of_two(-24), DType::float32);
  ASSERT_TRUE(above);
  EXPECT_TRUE(above->tie);
  EXPECT_EQ(above->value, 1 + 0x1p-22);
  // The enclosure contains 1, which float32 represents. All its points round to 1, so there is no
  // tie.
  EXPECT_FALSE(nearest(one, DType::float32)->tie);
  EXPECT_EQ(round_to_nearest(one, DType::float32), 1);
}

TEST(NearestStoredNumber, C1_RejectsIntegerDtypes) {
  for (const DType dtype : {DType::int64, DType::int32, DType::uint8, DType::boolean})
    EXPECT_EQ(ref::numeric::contract_message([&] { nearest(ball(1), dtype); }),
              "nearest: dtype is no float; expected float64, float32, float16, bfloat16, "
              "float8_e4m3fn, float8_e5m2, int8 or float4_e2m1fn (C1)");
}

}  // namespace
}  // namespace normproof::verification::golden::certify
