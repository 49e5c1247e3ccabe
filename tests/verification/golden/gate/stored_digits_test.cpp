#include "verification/golden/gate/stored_digits.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/verification/golden/certify/samples.hpp"

namespace normproof::verification::golden::gate {
namespace {

std::string describe_lost_digits(DType expected, DType answer, const std::vector<double>& values) {
  const std::vector<double> zeros(values.size());
  return describe_excess_digits(make_stored_tensor("y", expected, {1, values.size()}, zeros),
                                make_stored_tensor("y", answer, {1, values.size()}, values));
}

TEST(StoredDigits, ReportsNumbersThat16BitsCannotHold) {
  EXPECT_EQ(
      describe_lost_digits(DType::bfloat16, DType::float32, {1, 0x1.02p0, 0x1.01p0, 0x1.03p0}),
      "is not of bfloat16: [0, 2] = 1.00390625 has more digits (float32, 2 of 4 elements)");
  EXPECT_EQ(describe_lost_digits(DType::float16, DType::float64, {65504, 65536}),
            "is not of float16: [0, 1] = 65536 is too large (float64, 1 of 2 elements)");
  EXPECT_EQ(
      describe_lost_digits(DType::float16, DType::float32, {0x1p-25}),
      "is not of float16: [0, 0] = 2.98023224e-08 has more digits (float32, 1 of 1 elements)");
}

TEST(StoredDigits, AcceptsNumbersThatFit) {
  EXPECT_EQ(describe_lost_digits(DType::bfloat16, DType::float32,
                                 {1, 0x1.02p0, -0.0, kGoldenNaN, -kGoldenInfinity}),
            "");
  EXPECT_EQ(describe_lost_digits(DType::float16, DType::float64, {0x1p-24, 65504, 0x1.004p0}), "");
}

TEST(StoredDigits, AcceptsASumInFloat32) {
  EXPECT_EQ(describe_excess_digits(make_stored_tensor("sum", DType::bfloat16, {1}, {0}),
                                   make_stored_tensor("sum", DType::float32, {1}, {0x1.01p0})),
            "");
}

TEST(StoredDigits, ReportsNumbersThat8BitsCannotHold) {
  EXPECT_EQ(describe_lost_digits(DType::float8_e4m3fn, DType::float32, {448, 17}),
            "is not of float8_e4m3fn: [0, 1] = 17 has more digits (float32, 1 of 2 elements)");
  EXPECT_EQ(describe_lost_digits(DType::float8_e5m2, DType::float16, {57344, 0x1p-16}), "");
}

TEST(StoredDigits, IgnoresOtherDtypes) {
  EXPECT_EQ(describe_lost_digits(DType::float32, DType::float64, {0.1}), "");
  EXPECT_EQ(describe_lost_digits(DType::bfloat16, DType::bfloat16, {0x1.02p0}), "");
  EXPECT_EQ(describe_lost_digits(DType::bfloat16, DType::float16, {0x1.004p0}), "");
}

}  // namespace
}  // namespace normproof::verification::golden::gate
