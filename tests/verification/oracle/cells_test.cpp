#include "verification/oracle/cells.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/numeric/errors.hpp"
#include "tests/verification/oracle/lenses.hpp"

namespace normproof::verification::oracle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Shape kShape{2, 3, 4};

TEST(CellsTest, RowsAreTokens) {
  const auto rows = partition(Partition::row, kShape, 1, {});
  EXPECT_EQ(rows.shape, (Shape{2, 3}));
  EXPECT_THAT(rows.cells[4].members, ElementsAre(16, 17, 18, 19));
  EXPECT_EQ(rows.cells[4].counted, rows.cells[4].members);
}

TEST(CellsTest, RowGroupsAreConsecutiveFeatures) {
  const auto groups = partition(Partition::row_group, kShape, 2, {});
  EXPECT_EQ(groups.shape, (Shape{2, 3, 2}));
  EXPECT_THAT(groups.cells[3].members, ElementsAre(6, 7));
  EXPECT_EQ(partition(Partition::row_group, {3, 4}, 2, {}).shape, (Shape{3, 2}));
}

TEST(CellsTest, ChannelsCountValidRowsAlone) {
  const auto channels = partition(Partition::channel, kShape, 1, mask_of_bits(kShape, 0b100010));
  EXPECT_EQ(channels.shape, (Shape{4}));
  EXPECT_THAT(channels.cells[1].members, ElementsAre(1, 5, 9, 13, 17, 21));
  EXPECT_THAT(channels.cells[1].counted, ElementsAre(5, 21));
}

TEST(CellsTest, SamplesAreApart) {
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

TEST(CellsTest, RefusesWhatHasNoStatistic) {
  const auto message = [](Partition kind, std::size_t groups, const Mask& valid) -> std::string {
    try {
      partition(kind, kShape, groups, valid);
    } catch (const ref::numeric::ContractError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_THAT(message(Partition::channel, 1, mask_of_bits(kShape, 0)), HasSubstr("valid"));
  EXPECT_THAT(message(Partition::sample_channel, 1, mask_of_bits(kShape, 0b111)),
              HasSubstr("valid"));
  EXPECT_THAT(message(Partition::row_group, 3, {}), HasSubstr("groups is 3"));
  EXPECT_THAT(message(Partition::row_group, 0, {}), HasSubstr("groups is 0"));
  EXPECT_EQ(message(Partition::row, 1, mask_of_bits(kShape, 0)), "");
}

}  // namespace
}  // namespace normproof::verification::oracle
