#include "ref/numeric/nan_sign.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace normproof::tests::ref::numeric {
namespace {

using normproof::ref::numeric::remove_nan_signs;

TEST(WithoutNanSign, EveryNanPrintsWithoutASign) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  ASSERT_EQ(fmt::format("{}", std::copysign(nan, -1.0)), "-nan");
  for (const double sign : {-1.0, 1.0}) {
    EXPECT_EQ(fmt::format("{}", remove_nan_signs(std::copysign(nan, sign))), "nan");
    EXPECT_EQ(fmt::format("{:.9g}", remove_nan_signs(std::copysign(nan, sign))), "nan");
  }
}

TEST(WithoutNanSign, OtherValuesKeepTheirBits) {
  for (const double x : {0.0, -0.0, -1.5, std::numeric_limits<double>::infinity(),
                         -std::numeric_limits<double>::infinity()})
    EXPECT_EQ(std::bit_cast<std::uint64_t>(remove_nan_signs(x)), std::bit_cast<std::uint64_t>(x));
}

}  // namespace
}  // namespace normproof::tests::ref::numeric
