#include "verification/checks/oracle/cells.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/checks/oracle/lenses.hpp"

namespace normproof::verification::checks::oracle {
namespace {

using ref::numeric::contract_message;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Shape kShape{2, 3, 4};

TEST(StatisticCells, RowCellHoldsOneToken) {
  const auto rows = partition(Partition::row, kShape, 1, {});
  EXPECT_EQ(rows.shape, (Shape{2, 3}));
  EXPECT_THAT(rows.cells[4].members, ElementsAre(16, 17, 18, 19));
  EXPECT_EQ(rows.cells[4].counted, rows.cells[4].members);
}

TEST(StatisticCells, RowGroupCellHoldsConsecutiveFeatures) {
  const auto groups = partition(Partition::row_group, kShape, 2, {});
  EXPECT_EQ(groups.shape, (Shape{2, 3, 2}));
  EXPECT_THAT(groups.cells[3].members, ElementsAre(6, 7));
  EXPECT_EQ(partition(Partition::row_group, {3, 4}, 2, {}).shape, (Shape{3, 2}));
}

TEST(StatisticCells, ChannelCellCountsOnlyValidRows) {
  const auto channels = partition(Partition::channel, kShape, 1, mask_of_bits(kShape, 0b100010));
  EXPECT_EQ(channels.shape, (Shape{4}));
  EXPECT_THAT(channels.cells[1].members, ElementsAre(1, 5, 9, 13, 17, 21));
  EXPECT_THAT(channels.cells[1].counted, ElementsAre(5, 21));
}

TEST(StatisticCells, EverySampleHasItsOwnCells) {
  const auto mask = mask_of_bits(kShape, 0b100011);
  const auto instances = partition(Partition::sample_channel, kShape, 1, mask);
  EXPECT_EQ(instances.shape, (Shape{2, 4}));
  EXPECT_THAT(instances.cells[7].members, ElementsAre(15, 19, 23));
  EXPECT_THAT(instances.cells[7].counted, ElementsAre(23));
  const auto groups = partition(Partition::sample_group, kShape, 2, mask);
  EXPECT_EQ(groups.shape, (Shape{2, 2}));
  EXPECT_THAT(groups.cells[1].members, ElementsAre(2, 3, 6, 7, 10, 11));
  EXPECT_THAT(groups.cells[1].counted, ElementsAre(2, 3, 6, 7));
}

std::string partition_error_message(Partition kind, std::size_t groups, const Mask& valid,
                                    const Shape& shape = kShape) {
  return contract_message([&] { partition(kind, shape, groups, valid); });
}

TEST(StatisticCells, C1_RejectsEmptyExtents) {
  for (const Shape& shape : {Shape{0, 3}, Shape{2, 0}, Shape{2, 0, 3}, Shape{3}})
    EXPECT_THAT(partition_error_message(Partition::row, 1, {}, shape),
                HasSubstr("oracle: x has shape ["));
}

TEST(StatisticCells, C8_RejectsMasksOfWrongShapeOrWithoutValidRow) {
  const std::string empty =
      "oracle: valid leaves a statistic without an element; expected at least one valid row for "
      "each (C8)";
  EXPECT_EQ(partition_error_message(Partition::channel, 1, mask_of_bits(kShape, 0)), empty);
  EXPECT_EQ(partition_error_message(Partition::sample_channel, 1, mask_of_bits(kShape, 0b111)),
            empty);
  EXPECT_EQ(partition_error_message(Partition::row, 1, mask_of_bits(kShape, 0)), "no error");
  EXPECT_EQ(partition_error_message(Partition::row, 1, mask_of_bits({3, 2, 4}, 0b111)),
            "oracle: valid has shape [3, 2]; expected shape [2, 3] (C8)");
}

TEST(StatisticCells, C11_RejectsGroupsThatDoNotDivideFeatures) {
  EXPECT_EQ(partition_error_message(Partition::row_group, 3, {}),
            "oracle: groups is 3; expected a divisor of D = 4 (C11)");
  EXPECT_EQ(partition_error_message(Partition::row_group, 0, {}),
            "oracle: groups is 0; expected a divisor of D = 4 (C11)");
}

}  // namespace
}  // namespace normproof::verification::checks::oracle
