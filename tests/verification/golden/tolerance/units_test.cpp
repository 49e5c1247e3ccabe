#include "verification/golden/tolerance/units.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ref/numeric/any_order_error.hpp"

namespace normproof::verification::golden::tolerance {
namespace {

using ref::numeric::any_order_error;
using ref::numeric::AnyOrderArithmetic;

/// Returns the error that the gate allows for one operation in float32, divided by u times the
/// result.
double error_in_unit_roundoffs(const any_order_error& result) {
  const double u = AnyOrderArithmetic::current().unit_roundoff;
  return result.error / (u * std::fabs(result.value));
}

TEST(ErrorUnits, MatchTheErrorModelForOneOperation) {
  const AnyOrderArithmetic scope(arithmetic_of_type(ref::numeric::FloatType::float32));
  // Terms of second order: each of the units may be larger by a factor 1 + O(u).
  const double second_order = 16 * AnyOrderArithmetic::current().unit_roundoff;
  const any_order_error three = 3, seven = 7;
  for (const any_order_error& result : {three * seven, three / seven, sqrt(seven)})
    EXPECT_NEAR(error_in_unit_roundoffs(result), kOperationError, second_order);
  EXPECT_NEAR(error_in_unit_roundoffs(three + seven), 1, second_order);
}

TEST(ErrorUnits, AddUpOverSeveralOperations) {
  EXPECT_EQ(kScaledInputError, kOperationError + 2);
  EXPECT_EQ(kConvertedStatisticError, 3 * kOperationError);
  EXPECT_GE(kPublishedSigmoidError, 2 * kOperationError + 1);
  EXPECT_EQ(operation_slack(4, 0x1p-24), 1 + 4 * kOperationError * 0x1p-24);
}

}  // namespace
}  // namespace normproof::verification::golden::tolerance
