#include "verification/golden/certify/lane_errors.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ref/numeric/float_format.hpp"

namespace normproof::verification::golden::certify {
namespace {

using ref::numeric::any_order_error;
using ref::numeric::AnyOrderArithmetic;
using ref::numeric::Arithmetic;

constexpr double kValues[kLanes] = {1, -0.3, 7e5, 1e-5, -2e-39, 0x1p-120, 0, 12345.678};
constexpr double kErrors[kLanes] = {1e-7, 0, 3, 1e-12, 0, 0x1p-130, 0, 1};
constexpr double kFactors[kLanes] = {3, 5, -1e3, 1e4, 1, 0.5, 2, -1};

Arithmetic float32_arithmetic(bool folded = false) {
  Arithmetic arithmetic = arithmetic_of_type(ref::numeric::FloatType::float32);
  arithmetic.folded = folded;
  return arithmetic;
}

// The lanes round a bound in another order than any_order_error does.
void expect_about(double found, double expected, std::size_t lane) {
  EXPECT_LE(std::fabs(found - expected), expected * 0x1p-40) << lane;
}

TEST(LaneErrors, AreThoseOfSingleOperations) {
  for (const bool folded : {false, true}) {
    const AnyOrderArithmetic scope(float32_arithmetic(folded));
    LaneErrors errors(AnyOrderArithmetic::current());
    const Lanes a = load(kValues), a_error = load(kErrors), b = load(kFactors);
    const Lanes b_error = errors.of_input(b);
    const Lanes product =
        errors.of_product(a * b, magnitude_of(a), a_error, magnitude_of(b), b_error);
    const Lanes magnitudes = magnitude_of(a) + 2 * a_error + magnitude_of(b) + 2 * b_error;
    const Lanes sum = errors.of_sum(a + b, a_error + b_error, magnitudes, 1);
    for (std::size_t l = 0; l < kLanes; ++l) {
      const any_order_error x(kValues[l], kErrors[l]), y(kFactors[l]);
      expect_about(product[l], (x * y).error, l);
      if (kValues[l] != 0) expect_about(sum[l], (x + y).error, l);
    }
    EXPECT_TRUE(errors.all_fit());
  }
}

TEST(LaneErrors, OfAnInputAreZeroUnlessItIsSubnormal) {
  const AnyOrderArithmetic scope(float32_arithmetic());
  const LaneErrors errors(AnyOrderArithmetic::current());
  const double inputs[kLanes] = {0, 1, -0x1p-126, 0x1p-127, -0x1p-149, 3, 0x1p100, -0.0};
  const Lanes found = errors.of_input(load(inputs));
  for (std::size_t l = 0; l < kLanes; ++l)
    EXPECT_EQ(found[l], any_order_error(inputs[l]).error) << l;
}

TEST(LaneErrors, NoteNumbersThatMayOverflow) {
  for (const double large : {1e30, std::numeric_limits<double>::quiet_NaN()}) {
    LaneErrors errors(float32_arithmetic());
    Lanes a{};
    a[5] = large;
    errors.of_product(a * a, magnitude_of(a), Lanes{}, magnitude_of(a), Lanes{});
    EXPECT_FALSE(errors.all_fit()) << large;
  }
}

TEST(SumError, IsInfiniteIfTheSumMayOverflowOrHasTooManyTerms) {
  const Arithmetic arithmetic = float32_arithmetic();
  EXPECT_GE(sum_error(arithmetic, 2, 3, 10, 0.5), 0.5 + 20 * arithmetic.unit_roundoff);
  EXPECT_LE(sum_error(arithmetic, 2, 3, 10, 0.5), 0.5 + 20.001 * arithmetic.unit_roundoff);
  EXPECT_TRUE(std::isinf(sum_error(arithmetic, 2, 3, 1e39, 0)));
  EXPECT_TRUE(std::isinf(sum_error(arithmetic, 1e7, 1e7, 10, 0)));
}

}  // namespace
}  // namespace normproof::verification::golden::certify
