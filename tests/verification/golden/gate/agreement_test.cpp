#include "verification/golden/gate/agreement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/verification/golden/gate/wrong_kernel.hpp"

namespace normproof::verification::golden::gate {
namespace {

constexpr double kUlp = 0x1p-23;

/// Returns an output y of two elements whose exact values are 1 and `second`, whose bounds are
/// `bound` and 0.01 of it, and both of which failed.
FailingOutput output_near_one(double first, double second, double bound, double exact_second = 1) {
  return {"y",
          DType::float64,
          {1, 2},
          {0, 1},
          {first, second},
          {1, exact_second},
          {bound, bound / 100},
          kUlp / 2};
}

std::vector<StoredTensor> outputs(double first, double second) {
  return {make_stored_tensor("y", DType::float64, {1, 2}, {first, second})};
}

TEST(Agreement, RequiresAMarginThatGrowsIfRoundingDoesNotExplainTheDistance) {
  // The output is d from the mistake, and the mistake is `effect` from the exact values.
  const auto agrees = [](double d, double effect) {
    const FailingOutput f = output_near_one(1 + effect + d, 1 + effect, 20 * kUlp);
    return find_distance_if_agreeing(f, outputs(1 + effect, 1 + effect), outputs(1, 1)).has_value();
  };
  EXPECT_TRUE(agrees(16 * kUlp, 16 * 8 * kUlp));
  EXPECT_FALSE(agrees(16 * kUlp, 16 * 6 * kUlp));
  EXPECT_FALSE(agrees(40 * kUlp, 40 * 60 * kUlp));
  EXPECT_TRUE(agrees(40 * kUlp, 40 * 64 * kUlp));
}

TEST(Agreement, IsTheDistanceInUlpsOfTheLargestElement) {
  const FailingOutput f = output_near_one(2, 2 + 4 * kUlp, kUlp);
  const auto found = find_distance_if_agreeing(f, outputs(2, 2), outputs(1, 1));
  ASSERT_TRUE(found.has_value());
  EXPECT_DOUBLE_EQ(*found, 2);
  EXPECT_FALSE(find_distance_if_agreeing(f, outputs(2, 2), outputs(2, 2)).has_value());
  EXPECT_FALSE(find_distance_if_agreeing(f, {}, outputs(1, 1)).has_value());
}

TEST(Agreement, AMistakeIsHiddenIfRoundingErrorsMayLeaveNoMargin) {
  const auto hides = [](double effect, double bound) {
    return is_hidden({output_near_one(9, 9, bound)}, outputs(1 + effect, 1), outputs(1, 1));
  };
  EXPECT_TRUE(hides(7 * 10 * kUlp, 10 * kUlp));
  EXPECT_FALSE(hides(9 * 10 * kUlp, 10 * kUlp));
  EXPECT_TRUE(hides(60 * 40 * kUlp, 40 * kUlp));
  EXPECT_FALSE(hides(66 * 40 * kUlp, 40 * kUlp));
  EXPECT_FALSE(hides(0, 40 * kUlp)) << "no effect on the output";
  EXPECT_FALSE(hides(NAN, 40 * kUlp));
  EXPECT_TRUE(hides(1, kGoldenInfinity));
}

// The rounding errors of the other element are as large as the effect.
TEST(Agreement, AMistakeIsHiddenInASmallElementBesideALargeBound) {
  const FailingOutput f = output_near_one(9, 9, 16 * kUlp, 0.01);
  EXPECT_TRUE(is_hidden({f}, outputs(1, 0.01 + 16 * kUlp), outputs(1, 0.01)));
  EXPECT_FALSE(is_hidden({f}, outputs(1, 0.01 + 16 * 9 * kUlp), outputs(1, 0.01)));
}

// The bound of an element is NaN if its exact value is. The candidate and the mistake have a
// number.
TEST(Agreement, IsNotRefusedForRoundingErrorsWhereTheExactValueIsNaN) {
  FailingOutput f = output_near_one(2, 3 + 2 * kUlp, 10 * kUlp, kGoldenNaN);
  f.bound[1] = kGoldenNaN;
  EXPECT_TRUE(find_distance_if_agreeing(f, outputs(2, 3), outputs(1, kGoldenNaN)).has_value());
  EXPECT_FALSE(find_distance_if_agreeing(f, outputs(2, 3.1), outputs(1, kGoldenNaN)).has_value());
  EXPECT_FALSE(find_distance_if_agreeing(f, outputs(2, kGoldenNaN), outputs(1, 1)).has_value());
}

TEST(Agreement, NumbersThatAreNotFiniteAgreeWithEachOther) {
  EXPECT_EQ(distance(NAN, kGoldenInfinity), 0);
  EXPECT_EQ(distance(1, NAN), kGoldenInfinity);
  EXPECT_EQ(distance(1, 3), 2);
}

TEST(Agreement, NumbersOfAtMostSixteenBitsHaveFewDigits) {
  for (const DType dtype : {DType::bfloat16, DType::float16})
    EXPECT_TRUE(has_few_digits(corpus::unit_roundoff(dtype)));
  for (const DType dtype : {DType::float32, DType::float64})
    EXPECT_FALSE(has_few_digits(corpus::unit_roundoff(dtype)));
}

}  // namespace
}  // namespace normproof::verification::golden::gate
