#include "ref/numeric/float_bits.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>

#include "ref/numeric/random.hpp"
#include "tests/ref/numeric/formats_of_few_bits.hpp"
#include "tests/ref/numeric/special_values.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::ref::numeric {
namespace {

TEST(FloatBits, EncodesAndDecodesEveryNumberOfASmallFormat) {
  for (const FloatFormat& format : small_formats()) {
    const std::vector<double> numbers = nonnegative_numbers(format);
    const FloatBits sign = FloatBits{1} << (format.bits - 1);
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      EXPECT_BITS_EQ(decode(format, k), numbers[k]);
      EXPECT_BITS_EQ(decode(format, sign | k), -numbers[k]);
      ASSERT_EQ(encode(format, numbers[k]), k) << format.name;
      ASSERT_EQ(encode(format, -numbers[k]), sign | k) << format.name;
    }
    const FloatBits first = numbers.size();
    for (FloatBits k = first; k < sign; ++k) {
      const double v = decode(format, k);
      ASSERT_TRUE(std::isnan(v) || (k == first && std::isinf(v))) << format.name << " " << k;
      ASSERT_EQ(std::isinf(v), format.has_infinity && k == first) << format.name << " " << k;
      ASSERT_EQ(encode(format, v), k) << format.name;
    }
  }
}

TEST(FloatBits, IntegersHaveTwosComplement) {
  const FloatFormat& format = float_format_info(FloatType::int8);
  for (int i = -128; i <= 127; ++i) {
    const auto bits = static_cast<FloatBits>(static_cast<std::uint8_t>(i));
    EXPECT_EQ(decode(format, bits), i);
    EXPECT_EQ(encode(format, i), bits);
  }
}

TEST(FloatBits, SixteenBitFormatsMatchHandComputedBits) {
  const FloatFormat &half = float_format_info(FloatType::float16),
                    &brain = float_format_info(FloatType::bfloat16);
  EXPECT_EQ(encode(half, 1), 0x3c00u);
  EXPECT_EQ(encode(half, -2), 0xc000u);
  EXPECT_EQ(encode(half, 0x1p-24), 0x0001u);
  EXPECT_EQ(encode(half, 0x1p-14), 0x0400u);
  EXPECT_EQ(encode(half, 65504), 0x7bffu);
  EXPECT_EQ(encode(half, -kInfinity), 0xfc00u);
  EXPECT_EQ(encode(half, -0.0), 0x8000u);
  EXPECT_EQ(encode(brain, 1), 0x3f80u);
  EXPECT_EQ(encode(brain, -0x1.fep127), 0xff7fu);
}

TEST(FloatBits, Float32MatchesTheProcessor) {
  const RandomStream random(3, "bits");
  const FloatFormat& format = float_format_info(FloatType::float32);
  for (std::uint64_t i = 0; i < 100000; ++i) {
    const std::uint64_t bits = random.below(i, std::uint64_t{1} << (i % 2 == 0 ? 32 : 24));
    const auto v = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    if (!std::isnan(v)) {
      EXPECT_BITS_EQ(decode(format, bits), static_cast<double>(v));
    }
    ASSERT_EQ(encode(format, decode(format, bits)), bits);
  }
}

TEST(FloatBits, NanKeepsThePayloadBitsThatFitAndStaysNan) {
  const auto quiet = std::bit_cast<double>(FloatBits{0xfffc000000000001});
  EXPECT_EQ(encode(float_format_info(FloatType::float16), quiet), 0xff00u);
  EXPECT_EQ(encode(float_format_info(FloatType::bfloat16), quiet), 0xffe0u);
  EXPECT_EQ(encode(kE4m3fn, quiet), 0xffu);
  const auto low = std::bit_cast<double>(FloatBits{0x7ff0000000000001});
  EXPECT_EQ(encode(float_format_info(FloatType::float16), low), 0x7e00u);
  EXPECT_EQ(encode(float_format_info(FloatType::float64), low), 0x7ff0000000000001u);
}

TEST(FloatBits, Tf32IsStoredAsFloat32) {
  for (const double v : {1 + 0x1p-10, -0x1p-136, 0x1.ffcp127, 0x1.8p-127})
    EXPECT_EQ(encode(float_format_info(FloatType::tf32), v),
              std::bit_cast<std::uint32_t>(static_cast<float>(v)));
}

}  // namespace
}  // namespace normproof::ref::numeric
