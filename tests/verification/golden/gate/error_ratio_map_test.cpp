#include "verification/golden/gate/error_ratio_map.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace normproof::verification::golden::gate {
namespace {

using testing::ElementsAre;

TEST(ErrorRatioMap, HasOneCellPerElementIfThereAreFew) {
  const ErrorRatioMap map = make_error_ratio_map({2, 1, 3}, {0, 1, 2, 3, NAN, INFINITY});
  EXPECT_THAT(map.rows, ElementsAre("0", "1"));
  EXPECT_THAT(map.columns, ElementsAre("0", "1", "2"));
  ASSERT_EQ(map.error_ratios.size(), 6u);
  EXPECT_EQ(map.error_ratios[3], 3);
  EXPECT_TRUE(std::isnan(map.error_ratios[4]));
  EXPECT_EQ(map.error_ratios[5], INFINITY);
}

TEST(ErrorRatioMap, HasOneRowForAVector) {
  const ErrorRatioMap map = make_error_ratio_map({4}, {1, 2, 3, 4});
  EXPECT_THAT(map.rows, ElementsAre("0"));
  EXPECT_THAT(map.error_ratios, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(make_error_ratio_map({}, {7}).error_ratios, ElementsAre(7));
}

TEST(ErrorRatioMap, CellHoldsTheLargestRatioOfItsElements) {
  const std::size_t rows = 49, columns = 200;
  std::vector<double> error_ratios(rows * columns, 0.5);
  error_ratios[3 * columns + 7] = 9;  // second row, second of three columns of its cell
  error_ratios[48 * columns + 199] = 5;
  error_ratios[0] = error_ratios[1] = error_ratios[2] = NAN;
  error_ratios[columns] = error_ratios[columns + 1] = error_ratios[columns + 2] = NAN;
  const ErrorRatioMap map = make_error_ratio_map({rows, columns}, error_ratios);
  ASSERT_EQ(map.rows.size(), 25u);
  ASSERT_EQ(map.columns.size(), 67u);
  EXPECT_EQ(map.rows[1], "2 to 3");
  EXPECT_EQ(map.rows[24], "48");
  EXPECT_EQ(map.columns[2], "6 to 8");
  EXPECT_EQ(map.columns[66], "198 to 199");
  EXPECT_EQ(map.error_ratios[67 + 2], 9);
  EXPECT_EQ(map.error_ratios[24 * 67 + 66], 5);
  EXPECT_EQ(map.error_ratios[67 + 3], 0.5);
  EXPECT_TRUE(std::isnan(map.error_ratios[0]));
}

TEST(ErrorRatioMap, IsEmptyIfThereAreNoElements) {
  EXPECT_TRUE(make_error_ratio_map({0, 3}, {}).error_ratios.empty());
  EXPECT_TRUE(make_error_ratio_map({3, 0}, {}).rows.empty());
}

}  // namespace
}  // namespace normproof::verification::golden::gate
