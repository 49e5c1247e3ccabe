#include "verification/checks/compare/comparison.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "tests/ref/numeric/special_values.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::verification::checks::compare {
namespace {

using ref::tensor::empty_tensor;
using ref::tensor::full_tensor;

using ref::numeric::kInfinity;
using ref::numeric::kNaN;

Comparison compare_one(double got, const oracle100& expected, double bound) {
  return compare(full_tensor<double>({1}, got), full_tensor<oracle100>({1}, expected),
                 full_tensor<double>({1}, bound));
}

TEST(Comparison, FunctionsIsWithinAndCompareOneAgree) {
  const oracle100 beyond = oracle100(1) - oracle100(0x1p-330);
  for (const double got : {1.5, std::nextafter(1.5, 2), 1.0, -1.5, kNaN, kInfinity})
    for (const double bound : {0.5, 0.0, -1.0, kNaN, kInfinity})
      for (const oracle100& expected : {oracle100(1), beyond, oracle100(kNaN)})
        EXPECT_EQ(is_within(got, expected, bound), compare_one(got, expected, bound).passed)
            << got << " " << bound;
  EXPECT_TRUE(is_within(1.5, oracle100(1), 0.5));
  EXPECT_FALSE(is_within(1.5, beyond, 0.5));
}

TEST(Comparison, EqualValuesPassWithBoundZero) {
  const auto c = compare_one(1.5, oracle100(1.5), 0);
  EXPECT_TRUE(c.passed);
  EXPECT_EQ(c.worst_ratio, 0);
  EXPECT_EQ(c.max_ulp, 0u);
}

TEST(Comparison, PassesAtTheBoundAndFailsBeyondIt) {
  EXPECT_TRUE(compare_one(1.5, oracle100(1), 0.5).passed);
  EXPECT_FALSE(compare_one(std::nextafter(1.5, 2), oracle100(1), 0.5).passed);
  // The bound is exceeded by less than 100 digits can show. The difference is rounded away from
  // zero, so that it fails.
  const oracle100 beyond = oracle100(1) - oracle100(0x1p-330);
  EXPECT_FALSE(compare_one(0x1p60, oracle100(0x1p60) - 1 - oracle100(0x1p-270), 1).passed);
  EXPECT_FALSE(compare_one(1.5, beyond, 0.5).passed);
}

TEST(Comparison, RoundsTheDifferenceAwayFromZero) {
  // The difference 2^300 + 2^-100 needs 400 bits. Rounded to nearest it would be 2^300 and pass.
  EXPECT_FALSE(compare_one(0x1p300, -oracle100(0x1p-100), 0x1p300).passed);
  EXPECT_TRUE(compare_one(0x1p300, oracle100(0), 0x1p300).passed);
}

TEST(Comparison, NaNNeverPasses) {
  const oracle100 nan = std::numeric_limits<oracle100>::quiet_NaN();
  EXPECT_FALSE(compare_one(kNaN, oracle100(1), 1).passed);
  EXPECT_FALSE(compare_one(kNaN, nan, 1).passed);
  EXPECT_FALSE(compare_one(1, nan, 1).passed);
  EXPECT_FALSE(compare_one(1, oracle100(1), kNaN).passed);
  const auto c = compare_one(kNaN, oracle100(1), 1);
  EXPECT_EQ(c.worst_ratio, kInfinity);
  EXPECT_EQ(c.max_ulp, kInfiniteUlpDistance);
}

TEST(Comparison, InfinityNeverPasses) {
  const oracle100 infinity = std::numeric_limits<oracle100>::infinity();
  EXPECT_FALSE(compare_one(kInfinity, infinity, 1).passed);
  EXPECT_FALSE(compare_one(kInfinity, oracle100(1), 1).passed);
  EXPECT_FALSE(compare_one(1, oracle100(1), kInfinity).passed)
      << "an infinite bound claims nothing";
  EXPECT_FALSE(compare_one(1, oracle100(1), -1).passed);
}

TEST(Comparison, TreatsZerosOfBothSignsAsEqual) {
  EXPECT_TRUE(compare_one(-0.0, oracle100(0), 0).passed);
  EXPECT_FALSE(compare_bits(full_tensor<double>({1}, -0.0), full_tensor<double>({1}, 0.0)).passed);
}

TEST(Comparison, SentenceNamesMismatchedShapes) {
  const auto c = compare(full_tensor<double>({2, 3}, 1), full_tensor<oracle100>({3, 2}, 1),
                         full_tensor<double>({3, 2}, 9));
  EXPECT_FALSE(c.passed);
  EXPECT_EQ(c.describe(), "fails: got has shape [2, 3], expected [3, 2].");
  const auto b = compare(full_tensor<double>({2}, 1), full_tensor<oracle100>({2}, 1),
                         full_tensor<double>({1}, 9));
  EXPECT_EQ(b.describe(), "fails: bound has shape [1], expected [2].");
  EXPECT_FALSE(compare_bits(full_tensor<double>({2}, 1), full_tensor<double>({2, 1}, 1)).passed);
}

TEST(Comparison, FindsOneWrongElementAmongAMillion) {
  const Shape shape{1000, 1000};
  Tensor<double> got = full_tensor<double>(shape, 0.1);
  const Tensor<oracle100> expected = full_tensor<oracle100>(shape, oracle100(0.1));
  const Tensor<double> bound = full_tensor<double>(shape, 0x1p-57);
  EXPECT_WITHIN(compare(got, expected, bound));
  got(271, 828) = std::nextafter(0.1, 1);
  const auto c = compare(got, expected, bound);
  EXPECT_FALSE(c.passed);
  EXPECT_EQ(c.failed.size(), 1u);
  EXPECT_EQ(c.count, 1000000u);
  EXPECT_EQ(c.worst_index, 271828u);
  EXPECT_EQ(c.worst_ratio, 2) << "1 ulp of 0.1 is 2^-56";
  EXPECT_EQ(c.max_ulp, 1u);
}

TEST(Comparison, DescribesResultInOneSentenceWithHexValues) {
  Tensor<double> got = full_tensor<double>({2, 2}, 1);
  got(1, 0) = 3;
  const auto c = compare(got, full_tensor<oracle100>({2, 2}, 1), full_tensor<double>({2, 2}, 0.5));
  EXPECT_EQ(c.describe(),
            "fails: 1 of 4 elements of [2, 2] are not within their bounds; at most "
            "6755399441055744 ulp off; the worst is [1, 0]: got 0x1.8p+1, expected 0x1p+0, error "
            "2.000e+00, bound 0x1p-1, ratio 4.");
}

TEST(Comparison, ComparesAt100Digits) {
  const oracle100 got = oracle100(1) / 3;
  const auto of = [](const oracle100& x) { return full_tensor<oracle100>({1}, x); };
  EXPECT_FALSE(compare(of(got), of(got + oracle100(0x1p-300)), of(oracle100(0x1p-301))).passed);
  EXPECT_TRUE(compare(of(got), of(got + oracle100(0x1p-300)), of(oracle100(0x1p-300))).passed);
}

TEST(Comparison, UsesTheRunningErrorAsBound) {
  const running_error third = running_error(1) / running_error(3);
  const auto got = full_tensor<running_error>({1}, third);
  const auto c = compare(got, full_tensor<oracle100>({1}, oracle100(1) / 3));
  EXPECT_WITHIN(c);
  EXPECT_GT(c.worst_ratio, 0);
  EXPECT_FALSE(compare(got, full_tensor<oracle100>({1}, oracle100(0.3333))).passed);
}

TEST(Comparison, BitwiseComparisonReportsTheLargestDifference) {
  Tensor<double> got = full_tensor<double>({3}, 1);
  const Tensor<double> expected = got;
  got(1) = 1 + 0x1p-52;
  got(2) = 1 + 0x1p-51;
  const auto c = compare_bits(got, expected);
  EXPECT_EQ(c.failed.size(), 2u);
  EXPECT_EQ(c.worst_index, 2u);
  EXPECT_EQ(c.max_ulp, 2u);
}

RC_GTEST_PROP(ComparisonProperty, AcceptsExactlyTheElementsWithinTheBound, ()) {
  // Integers allow the expected result to be computed exactly.
  const auto got = *rc::gen::inRange<std::int64_t>(-1000, 1000);
  const auto expected = *rc::gen::inRange<std::int64_t>(-1000, 1000);
  const auto bound = *rc::gen::inRange<std::int64_t>(0, 100);
  const auto c =
      compare_one(static_cast<double>(got), oracle100(expected), static_cast<double>(bound));
  RC_ASSERT(c.passed == (std::abs(got - expected) <= bound));
  RC_ASSERT(c.passed == (c.worst_ratio <= 1));
}

}  // namespace
}  // namespace normproof::verification::checks::compare
