#include "ref/numeric/kept_or_zero.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>

namespace normproof::tests::ref::numeric {
namespace {

using normproof::ref::numeric::keep_or_zero;

TEST(KeptOrZero, KeepsAllBitsOrReturnsZero) {
  for (const double v : {1.5, -1.5, 0.0, -0.0, 0x1p-1074, std::numeric_limits<double>::infinity(),
                         std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(keep_or_zero(true, v)), std::bit_cast<std::uint64_t>(v));
    EXPECT_EQ(std::bit_cast<std::uint64_t>(keep_or_zero(false, v)), 0u) << v;
  }
}

TEST(KeptOrZero, WorksForOtherScalars) {
  EXPECT_EQ(keep_or_zero(true, 2.5f), 2.5f);
  EXPECT_EQ(keep_or_zero(false, 2.5f), 0.0f);
}

}  // namespace
}  // namespace normproof::tests::ref::numeric
