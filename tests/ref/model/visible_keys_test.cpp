#include "ref/model/visible_keys.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace normproof::ref::model {
namespace {

using ::testing::ElementsAre;

TEST(VisibleKeys, MaskIsAbsentIfEveryKeyIsVisible) {
  EXPECT_FALSE(tensor::is_given(visible_keys({2, 3, 4}, nullptr, false)));
}

TEST(VisibleKeys, AreTheValidKeysIfAttentionIsNotCausal) {
  const bool valid[] = {true, false, true};
  const tensor::Mask visible = visible_keys({2, 5, 3}, valid, false);
  EXPECT_EQ(tensor::shape_of(visible), (tensor::Shape{3}));
  EXPECT_THAT(visible, ElementsAre(true, false, true));
}

TEST(VisibleKeys, LastCausalQuerySeesEveryKey) {
  const tensor::Mask fewer = visible_keys({1, 2, 3}, nullptr, true);
  EXPECT_EQ(tensor::shape_of(fewer), (tensor::Shape{2, 3}));
  EXPECT_THAT(fewer, ElementsAre(true, true, false, true, true, true));
  const tensor::Mask more = visible_keys({1, 3, 2}, nullptr, true);
  EXPECT_THAT(more, ElementsAre(false, false, true, false, true, true));
}

TEST(VisibleKeys, MaskOfAHeadRepeatsForEachHeadAndHidesInvalidKeys) {
  const bool valid[] = {false, true};
  EXPECT_THAT(visible_keys({2, 2, 2}, valid, true),
              ElementsAre(false, false, false, true, false, false, false, true));
}

TEST(VisibleKeys, RowsWithoutVisibleKeysAreFound) {
  EXPECT_TRUE(has_visible_key_in_every_row({}, 2));
  EXPECT_TRUE(has_visible_key_in_every_row({{true, false}, {false, true}}, 2));
  EXPECT_FALSE(has_visible_key_in_every_row({{true, true}, {false, false}}, 2));
}

}  // namespace
}  // namespace normproof::ref::model
