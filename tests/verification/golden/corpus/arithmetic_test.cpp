#include "verification/golden/corpus/arithmetic.hpp"

#include <gtest/gtest.h>

#include "tests/verification/golden/certify/samples.hpp"

namespace normproof::verification::golden::corpus {
namespace {

TEST(GoldenArithmetic, AccumulationTypesAreFoundByName) {
  for (const Accumulation accumulation : kAllAccumulations)
    EXPECT_EQ(parse_accumulation(to_string(accumulation)), accumulation);
  EXPECT_EQ(parse_accumulation("bf16"), Accumulation::bfloat16);
  EXPECT_EQ(parse_accumulation("FP32"), Accumulation::float32);
  EXPECT_EQ(usage_error_message([] { parse_accumulation("flot32"); }),
            "unknown accumulation 'flot32'; did you mean 'float32'? known: float64, float32, "
            "bfloat16, float16");
  EXPECT_EQ(accumulation_arithmetic(Accumulation::float64).unit_roundoff, 0x1p-53);
  EXPECT_EQ(accumulation_arithmetic(Accumulation::float32).unit_roundoff, 0x1p-24);
  EXPECT_EQ(accumulation_arithmetic(Accumulation::float16).largest, 65504);
  EXPECT_EQ(accumulation_arithmetic(Accumulation::bfloat16).unit_roundoff, 0x1p-8);
}

TEST(GoldenArithmetic, SixteenBitDtypesAreAccumulatedInFloat32) {
  EXPECT_EQ(usual_accumulation(DType::float64), Accumulation::float64);
  for (const DType dtype : {DType::float32, DType::float16, DType::bfloat16})
    EXPECT_EQ(usual_accumulation(dtype), Accumulation::float32);
}

TEST(GoldenArithmetic, StatisticsOf16BitCasesAreStoredInFloat32) {
  for (const DType dtype : {DType::float64, DType::float32, DType::float16, DType::bfloat16}) {
    const bool small = dtype == DType::float16 || dtype == DType::bfloat16;
    EXPECT_EQ(output_dtype(dtype, "y"), dtype);
    EXPECT_EQ(output_dtype(dtype, "grad_gamma"), dtype);
    for (const char* name : {"parameter", "logits", "attention.weights"})
      EXPECT_EQ(output_dtype(dtype, name), dtype) << name;
    EXPECT_EQ(output_dtype(dtype, "loss"), small ? DType::float32 : dtype);
    EXPECT_EQ(output_dtype(dtype, "second_moment"), small ? DType::float32 : dtype);
    EXPECT_EQ(output_dtype(dtype, "rstd"), small ? DType::float32 : dtype);
    EXPECT_EQ(output_dtype(dtype, "running_mean"), small ? DType::float32 : dtype);
    EXPECT_EQ(output_dtype(dtype, "iterations"), DType::int64);
  }
}

TEST(GoldenArithmetic, GradientHasTheDtypeOfItsInput) {
  Case c;
  c.dtype = DType::bfloat16;
  const std::vector<double> one = {1};
  c.inputs = {ref::io::make_tensor("gamma", DType::float32, {1}, one),
              ref::io::make_tensor("x", DType::bfloat16, {1}, one)};
  EXPECT_EQ(output_dtype(c, "grad_gamma"), DType::float32);
  EXPECT_EQ(output_dtype(c, "grad_x"), DType::bfloat16);
  EXPECT_EQ(output_dtype(c, "grad_beta"), DType::bfloat16);  // of the case, because it is absent
  EXPECT_EQ(output_dtype(c, "y"), DType::bfloat16);
  EXPECT_EQ(output_dtype(c, "rstd"), DType::float32);
}

TEST(GoldenArithmetic, StorageInANarrowerDtypeThanTheArithmeticRounds) {
  EXPECT_TRUE(rounds_when_stored(DType::bfloat16, Accumulation::float32));
  EXPECT_TRUE(rounds_when_stored(DType::bfloat16, Accumulation::float16));
  EXPECT_TRUE(rounds_when_stored(DType::float16, Accumulation::bfloat16));  // below 2^-14
  EXPECT_FALSE(rounds_when_stored(DType::float16, Accumulation::float16));
  EXPECT_FALSE(rounds_when_stored(DType::float32, Accumulation::bfloat16));
  EXPECT_FALSE(rounds_when_stored(DType::float64, Accumulation::float32));
}

}  // namespace
}  // namespace normproof::verification::golden::corpus
