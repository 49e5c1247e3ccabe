#include "verification/checks/agreement/row.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace normproof::verification::checks::agreement {
namespace {

TEST(AgreementReportRow, NamesTheFirstDifferingElementWithItsBits) {
  Rows rows;
  rows.begin("sum", "case a");
  rows.compare("y", {{1, 2}, {3, 4}}, {{1, 2}, {3, 4}});
  EXPECT_TRUE(rows.agree());
  rows.begin("sum", "case b");
  rows.compare("y", {{1, 2}, {0.0, 4}}, {{1, 2}, {-0.0, 5}});
  rows.compare("z", 1.0, 2.0);
  EXPECT_FALSE(rows.agree());
  ASSERT_EQ(rows.all().size(), 1u);
  const Row& row = rows.all()[0];
  EXPECT_EQ(row.cases, 2u);
  EXPECT_EQ(row.elements, 9u);
  EXPECT_EQ(row.difference,
            "case b: y[1, 0] is 0x0p+0 (0000000000000000); expected -0x0p+0 (8000000000000000)");
}

TEST(AgreementReportRow, TreatsAllNaNsAsEqual) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Rows rows;
  rows.begin("sum", "case");
  rows.compare("y", {nan, 1}, {-nan, 1});
  EXPECT_TRUE(rows.agree());
  rows.compare("y", {nan, 1}, {0, 1});
  EXPECT_FALSE(rows.agree());
}

TEST(AgreementReportRow, WrongShapeOrAbsentTensorIsADifference) {
  Rows rows;
  rows.begin("sum", "case");
  rows.compare("y", {1, 2}, {{1, 2}});
  EXPECT_EQ(rows.all()[0].difference, "case: y has shape [2]; expected [1, 2]");
  rows.begin("other", "case");
  rows.refuse();
  EXPECT_EQ(rows.all()[1].refused, 1u);
  EXPECT_EQ(rows.cases(), 2u);
  rows.begin("third", "case");
  rows.compare("y", {}, {1, 2});
  EXPECT_FALSE(rows.all()[2].difference.empty());
}

}  // namespace
}  // namespace normproof::verification::checks::agreement
