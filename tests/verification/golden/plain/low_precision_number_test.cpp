#include "verification/golden/plain/low_precision_number.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/ref/numeric/error_message.hpp"

namespace normproof::verification::golden::plain {
namespace {

using Half = LowPrecisionNumber<ref::model::StorageFormat::float16>;
using Brain = LowPrecisionNumber<ref::model::StorageFormat::bfloat16>;

TEST(NarrowFloat, EveryOperationRounds) {
  EXPECT_EQ(static_cast<double>(Half(1) + Half(0x1p-11)), 1);  // ties to even
  EXPECT_EQ(static_cast<double>(Half(1) + Half(0x1.8p-11)), 1 + 0x1p-10);
  EXPECT_EQ(static_cast<double>(Brain(256) + Brain(1)), 256);
  EXPECT_EQ(static_cast<double>(Brain(1) / Brain(3)), 0x1.56p-2);
  EXPECT_EQ(static_cast<double>(sqrt(Brain(2))), 0x1.6ap+0);
  EXPECT_EQ(static_cast<double>(Half(0.1)), 0x1.998p-4);
}

TEST(NarrowFloat, Float16Overflows) {
  EXPECT_EQ(static_cast<double>(Half(300) * Half(300)), std::numeric_limits<double>::infinity());
  EXPECT_EQ(static_cast<double>(Brain(300) * Brain(300)), 0x1.6p+16);
}

TEST(NarrowFloat, FormatIsChosenAtRunTime) {
  const auto third = [](ref::model::StorageFormat format) {
    return in_arithmetic(format, []<class T>(T) { return static_cast<double>(T(1) / T(3)); });
  };
  EXPECT_EQ(third(ref::model::StorageFormat::float64), 1.0 / 3);
  EXPECT_EQ(third(ref::model::StorageFormat::float32), static_cast<double>(1.0f / 3.0f));
  EXPECT_EQ(third(ref::model::StorageFormat::float16), 0x1.554p-2);
  EXPECT_EQ(third(ref::model::StorageFormat::bfloat16), 0x1.56p-2);
}

TEST(NarrowFloat, C1_RejectsArithmeticIn8Bits) {
  const auto answer = [](ref::model::StorageFormat format) {
    return in_arithmetic(format, []<class T>(T) { return 0; });
  };
  for (const auto format :
       {ref::model::StorageFormat::float8_e4m3fn, ref::model::StorageFormat::float8_e5m2})
    EXPECT_EQ(ref::numeric::contract_violation([&] { answer(format); }).argument, "format");
  EXPECT_EQ(answer(ref::model::StorageFormat::float16), 0);
}

}  // namespace
}  // namespace normproof::verification::golden::plain
