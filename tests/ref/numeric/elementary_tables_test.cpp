#include "ref/numeric/elementary_tables.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "ref/numeric/elementary.hpp"
#include "verification/checks/elementary/tables.hpp"

namespace normproof::ref::numeric {
namespace {

using namespace verification::checks::elementary;

void expect_same(const double* table, int size, const std::vector<double>& derived) {
  ASSERT_EQ(static_cast<std::size_t>(size), derived.size());
  for (int i = 0; i < size; ++i) EXPECT_EQ(table[i], derived[static_cast<std::size_t>(i)]);
}

TEST(ElementaryTables, MatchTheirDefinitions) {
  expect_same(kExpTable, kExpRows * kExpColumns, exp_table());
  expect_same(kLogTable, kLogRows * kLogColumns, log_table());
  expect_same(kTanhTable, kTanhRows * kTaylorColumns, tanh_table());
  expect_same(kErfTable, kErfRows * kTaylorColumns, erf_table());
  const auto ln2 = ln2_limbs(), two_over_root_pi = two_over_root_pi_limbs();
  ASSERT_EQ(ln2.size(), static_cast<std::size_t>(kConstantLimbs));
  for (std::size_t i = 0; i < ln2.size(); ++i) {
    EXPECT_EQ(kLn2[i], ln2[i]);
    EXPECT_EQ(kTwoOverRootPi[i], two_over_root_pi[i]);
  }
}

// Checks the first columns of a table: the value of the function at the center of each row, in two
// parts, and the slope there.
void expect_value_and_slope(const double* table, int rows, dual (*f)(const dual&)) {
  for (int row = 0; row < rows; ++row) {
    const double* const a = table + row * kTaylorColumns;
    const dual at_center = f(dual(oracle50(taylor_center(row)), oracle50(1)));
    EXPECT_EQ(a[0], to_double(at_center.value));
    EXPECT_EQ(a[1], to_double(at_center.value - a[0]));
    EXPECT_EQ(a[2], to_double(at_center.derivative));
  }
}

TEST(ElementaryTables, RowsOfTanhAndErfStartWithTheValueAndTheSlope) {
  expect_value_and_slope(kTanhTable, kTanhRows, tanh);
  expect_value_and_slope(kErfTable, kErfRows, erf);
}

// Checks properties of the table of log on which the fast phase relies. c is the tabulated
// reciprocal of a bin and hi the high part of its logarithm. For every m of the bin, m c - 1 is
// exact and small. hi is a multiple of 2^-42. In a bin away from 1, |hi| >= |m c - 1|.
TEST(ElementaryTables, ReducedArgumentsOfLogAreExactAndSmall) {
  for (int row = 0; row < kLogRows; ++row) {
    const double c = kLogTable[row * kLogColumns], hi = kLogTable[row * kLogColumns + 1];
    const LogBin bin = log_bin(row);
    const double scale = c < 1 ? 0x1p9 : 0x1p8;
    EXPECT_EQ(c * scale, std::nearbyint(c * scale));
    for (const double m : {bin.first, bin.last}) {
      const oracle50 z = oracle50(m) * c - 1;
      EXPECT_LT(std::fabs(to_double(z)), 0x1p-8) << row;
      EXPECT_TRUE(z == to_double(z)) << row;
      EXPECT_GE(c == 1 ? 1 : std::fabs(hi), std::fabs(to_double(z))) << row;
    }
    EXPECT_EQ(hi * 0x1p42, std::nearbyint(hi * 0x1p42));
    if (c == 1) {
      EXPECT_EQ(hi, 0);
    } else {
      EXPECT_GT(std::fabs(hi), 0x1.fep-9);
    }
    EXPECT_LE(std::fabs(kLogTable[row * kLogColumns + 2]), 0x1p-43);
    if (bin.first <= 1 && bin.last >= 1 - 0x1p-53) {
      EXPECT_EQ(c, 1);
    }
  }
}

}  // namespace
}  // namespace normproof::ref::numeric
