#include "verification/checks/elementary/tables.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace normproof::verification::checks::elementary {
namespace {

TEST(LogBins, CoverOneBinadeWithoutGaps) {
  EXPECT_EQ(log_bin(0).first, 0.70703125);
  for (int row = 1; row < 256; ++row)
    EXPECT_EQ(std::nextafter(log_bin(row - 1).last, 2), log_bin(row).first);
  EXPECT_EQ(std::nextafter(log_bin(255).last, 2), 2 * log_bin(0).first);
}

TEST(TaylorCenters, AreUniformWithTwiceTheSpacingAboveOne) {
  EXPECT_EQ(taylor_center(0), 0);
  EXPECT_EQ(taylor_center(1), 0x1p-7);
  EXPECT_EQ(taylor_center(128), 1);
  EXPECT_EQ(taylor_center(129), 1 + 0x1p-6);
  EXPECT_EQ(taylor_center(352), 6);
  EXPECT_EQ(taylor_center(552), 20);
}

TEST(FormatTable, WritesOneRowPerLineInHexadecimal) {
  EXPECT_EQ(format_table({1, 0.5, -3, 0}, 2), "0x1p+0, 0x1p-1,\n-0x1.8p+1, 0x0p+0,\n");
  EXPECT_EQ(format_limbs({1, 0xffffffffffffffff}), "0x0000000000000001,\n0xffffffffffffffff,\n");
}

}  // namespace
}  // namespace normproof::verification::checks::elementary
