#include "verification/golden/corpus/scale_rounding.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ref/numeric/errors.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::verification::golden::corpus {
namespace {

using ref::numeric::FloatFormat;
using ref::numeric::FloatType;
using enum ScaleRounding;

const FloatFormat& e4m3() {
  return float_format_info(FloatType::float8_e4m3fn);
}

/// Returns the exponents of the scale for floor, up, nearest, even and ceil.
std::vector<int> list_exponents(double largest, const FloatFormat& format = e4m3()) {
  std::vector<int> exponents;
  exponents.reserve(std::size(kScaleRoundings));
  for (const ScaleRounding rounding : kScaleRoundings)
    exponents.push_back(find_scale_exponent(largest, format, rounding));
  return exponents;
}

TEST(ScaleRounding, EachConventionStepsAtItsOwnMagnitude) {
  using ::testing::ElementsAre;
  EXPECT_THAT(list_exponents(256), ElementsAre(0, 0, -1, 0, 0));
  EXPECT_THAT(list_exponents(300), ElementsAre(0, 0, -1, 0, 1));
  EXPECT_THAT(list_exponents(316), ElementsAre(0, 0, -1, 0, 1));  // 448/sqrt(2) is 316.78
  EXPECT_THAT(list_exponents(317), ElementsAre(0, 0, 0, 0, 1));
  EXPECT_THAT(list_exponents(448), ElementsAre(0, 0, 0, 0, 1));
  EXPECT_THAT(list_exponents(448.5), ElementsAre(0, 1, 0, 0, 1));
  EXPECT_THAT(list_exponents(495.9), ElementsAre(0, 1, 0, 0, 1));
  EXPECT_THAT(list_exponents(496), ElementsAre(0, 1, 0, 1, 1));
}

TEST(ScaleRounding, UpIsTheSmallestScaleWithWhichNothingSaturates) {
  for (const FloatType type : {FloatType::float8_e4m3fn, FloatType::float8_e5m2}) {
    const FloatFormat& format = float_format_info(type);
    for (double largest = 0x1p-20; largest < 0x1p20; largest *= 1.0371) {
      const double scale = std::ldexp(1, find_scale_exponent(largest, format, up));
      EXPECT_LE(largest / scale, format.largest) << largest;
      EXPECT_GT(largest / (scale / 2), format.largest) << largest;
    }
  }
}

TEST(ScaleRounding, AGrowingMagnitudeNeverLowersAScale) {
  for (const ScaleRounding rounding : kScaleRoundings) {
    int last = -127;
    for (double largest = 0x1p-130; largest < 0x1p130; largest *= 1.0137) {
      const int exponent = find_scale_exponent(largest, e4m3(), rounding);
      EXPECT_GE(exponent, last) << to_string(rounding) << ' ' << largest;
      last = exponent;
    }
  }
}

TEST(ScaleRounding, ABlockOfZerosHasTheSmallestScaleAndExponentsStayInTheFormat) {
  using ::testing::Each;
  EXPECT_THAT(list_exponents(0), Each(-127));
  EXPECT_THAT(list_exponents(0x1p-149), Each(-127));
  EXPECT_THAT(list_exponents(0x1p200), Each(127));
}

TEST(ScaleRounding, OnlyQuotientsAndLogarithmsHaveAnError) {
  EXPECT_EQ(quotient_error(floor), 0);
  EXPECT_EQ(quotient_error(even), 0);
  EXPECT_EQ(quotient_error(ceil), 0);
  EXPECT_EQ(quotient_error(up), 0x1p-22);
  // A scale of 2^-80 is found by a logarithm of -80, of which float32 has units of 2^-17.
  EXPECT_GT(quotient_error(nearest), std::exp2(0x1p-16) - 1);
  EXPECT_LT(quotient_error(nearest), 0x1p-15);
}

TEST(ScaleRounding, NamesAreReadBack) {
  for (const ScaleRounding rounding : kScaleRoundings)
    EXPECT_EQ(parse_scale_rounding(to_string(rounding)), rounding);
  EXPECT_THAT(
      ref::numeric::error_message<ref::numeric::UsageError>([] { parse_scale_rounding("upp"); }),
      testing::AllOf(testing::HasSubstr("upp"), testing::HasSubstr("up")));
}

}  // namespace
}  // namespace normproof::verification::golden::corpus
