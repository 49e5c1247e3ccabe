#include "verification/support/report/json_number.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace normproof::verification::support::report {
namespace {

TEST(JsonNumber, FiniteNumbersAreJsonNumbers) {
  EXPECT_EQ(json_number(0.1).dump(), "0.1");
  EXPECT_EQ(json_number(-0x1p-1074).dump(), "-5e-324");
  EXPECT_EQ(json_number(std::numeric_limits<double>::max()).dump(), "1.7976931348623157e+308");
}

TEST(JsonNumber, InfinityAndNaNAreStrings) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(json_number(kInfinity).dump(), "\"inf\"");
  EXPECT_EQ(json_number(-kInfinity).dump(), "\"-inf\"");
  EXPECT_EQ(json_number(kNaN).dump(), "\"nan\"");
  EXPECT_EQ(json_number(-kNaN).dump(), "\"nan\"");
}

}  // namespace
}  // namespace normproof::verification::support::report
