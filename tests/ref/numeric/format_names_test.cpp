#include "ref/numeric/format_names.hpp"

#include <gtest/gtest.h>

namespace normproof::ref::numeric {
namespace {

TEST(FormatNames, FindAFormatByItsNameAndByShortNames) {
  for (const FloatFormat& format : kFloatFormats)
    EXPECT_EQ(find_float_type(format.name), format.type) << format.name;
  for (const char* name : {"fp64", "F64", "double", "Float64"})
    EXPECT_EQ(find_float_type(name), FloatType::float64) << name;
  for (const char* name : {"fp32", "f32", "single", "FP32"})
    EXPECT_EQ(find_float_type(name), FloatType::float32) << name;
  for (const char* name : {"fp16", "f16", "half"})
    EXPECT_EQ(find_float_type(name), FloatType::float16) << name;
  for (const char* name : {"bf16", "BF16", "BFloat16"})
    EXPECT_EQ(find_float_type(name), FloatType::bfloat16) << name;
  for (const char* name : {"e4m3", "e4m3fn", "float8_e4m3"})
    EXPECT_EQ(find_float_type(name), FloatType::float8_e4m3fn) << name;
  EXPECT_EQ(find_float_type("e5m2"), FloatType::float8_e5m2);
  for (const char* name : {"e2m1", "FP4", "float4_e2m1"})
    EXPECT_EQ(find_float_type(name), FloatType::float4_e2m1fn) << name;
}

TEST(FormatNames, FindNoFormatForOtherTexts) {
  // "float" has 64 bits in some libraries and 32 bits in others.
  for (const char* name : {"float", "", "fp", "fp8", "float33", "bf16 ", "int16"})
    EXPECT_EQ(find_float_type(name), std::nullopt) << name;
}

}  // namespace
}  // namespace normproof::ref::numeric
