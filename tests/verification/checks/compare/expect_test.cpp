#include "tests/verification/checks/compare/expect.hpp"

#include <gtest/gtest-spi.h>

#include "tests/ref/numeric/special_values.hpp"

namespace normproof::verification::checks::compare {
namespace {

using ref::tensor::full_tensor;

using ref::numeric::kNaN;

TEST(ExpectMacros, BitsEqDistinguishesTheSignsOfZero) {
  EXPECT_BITS_EQ(-0.0, -0.0);
  EXPECT_NONFATAL_FAILURE(EXPECT_BITS_EQ(0.0, -0.0), "other bits");
}

TEST(ExpectMacros, BitsEqFailsForNaN) {
  EXPECT_NONFATAL_FAILURE(EXPECT_BITS_EQ(kNaN, kNaN), "infinitely many ulp");
}

TEST(ExpectMacros, BitsEqNamesTheDifferingElement) {
  static Tensor<double> got = full_tensor<double>({2, 3}, 1.0);
  static Tensor<double> expected = got;
  EXPECT_BITS_EQ(got, expected);
  got(1, 2) = 1.5;
  EXPECT_NONFATAL_FAILURE(EXPECT_BITS_EQ(got, expected), "the worst is [1, 2]: got 0x1.8p+0");
}

TEST(ExpectMacros, MaxUlpFailsAlsoIfTheErrorIsSmaller) {
  EXPECT_MAX_ULP(1 + 0x1p-52, 1.0, 1u);
  EXPECT_NONFATAL_FAILURE(EXPECT_MAX_ULP(1 + 0x1p-52, 1.0, 2u), "recorded are exactly 2 ulp");
  EXPECT_NONFATAL_FAILURE(EXPECT_MAX_ULP(1 + 0x1p-52, 1.0, 0u), "recorded are exactly 0 ulp");
}

TEST(ExpectMacros, MaxUlpFailsForNaN) {
  EXPECT_NONFATAL_FAILURE(EXPECT_MAX_ULP(kNaN, kNaN, kInfiniteUlpDistance), "infinitely many");
}

TEST(ExpectMacros, MatcherForVanishingSumsUsesUlpsOfTheTerms) {
  EXPECT_THAT(0x1p-52, vanishes_before(1.0, 1));
  EXPECT_THAT(-0x1p-52, vanishes_before(1.0, 1));
  EXPECT_THAT(0.0, vanishes_before(0.0, 0));
  EXPECT_THAT(0x1.8p-52, ::testing::Not(vanishes_before(1.0, 1)));
  EXPECT_THAT(kNaN, ::testing::Not(vanishes_before(1.0, 1000)));
  EXPECT_THAT(0.0, ::testing::Not(vanishes_before(kNaN, 1000)));
}

TEST(ExpectMacros, WithinPrintsTheComparison) {
  static const auto failed = compare(full_tensor<double>({1}, 2.0), full_tensor<oracle100>({1}, 1),
                                     full_tensor<double>({1}, 0.5));
  EXPECT_NONFATAL_FAILURE(EXPECT_WITHIN(failed), "ratio 2.");
}

}  // namespace
}  // namespace normproof::verification::checks::compare
