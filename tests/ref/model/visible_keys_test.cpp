#include "ref/model/visible_keys.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>

namespace normproof::ref::model {
namespace {

using ::testing::ElementsAre;

TEST(VisibleKeys, MaskIsAbsentIfEveryKeyIsVisible) {
  EXPECT_FALSE(tensor::is_given(visible_keys({2, 3, 4}, nullptr, {})));
}

TEST(VisibleKeys, AreTheValidKeysIfAttentionIsNotCausal) {
  const bool valid[] = {true, false, true};
  const tensor::Mask visible = visible_keys({2, 5, 3}, valid, {});
  EXPECT_EQ(tensor::shape_of(visible), (tensor::Shape{3}));
  EXPECT_THAT(visible, ElementsAre(true, false, true));
}

TEST(VisibleKeys, LastCausalQuerySeesEveryKey) {
  const tensor::Mask fewer = visible_keys({1, 2, 3}, nullptr, {.causal = true});
  EXPECT_EQ(tensor::shape_of(fewer), (tensor::Shape{2, 3}));
  EXPECT_THAT(fewer, ElementsAre(true, true, false, true, true, true));
  const tensor::Mask more = visible_keys({1, 3, 2}, nullptr, {.causal = true});
  EXPECT_THAT(more, ElementsAre(false, false, true, false, true, true));
}

TEST(VisibleKeys, MaskOfAHeadRepeatsForEachHeadAndHidesInvalidKeys) {
  const bool valid[] = {false, true};
  EXPECT_THAT(visible_keys({2, 2, 2}, valid, {.causal = true}),
              ElementsAre(false, false, false, true, false, false, false, true));
}

TEST(VisibleKeys, MaskFromTheTopLeftStartsAtTheFirstKey) {
  const tensor::Mask fewer =
      visible_keys({1, 2, 3}, nullptr, {.causal = true, .corner = MaskCorner::top_left});
  EXPECT_THAT(fewer, ElementsAre(true, false, false, true, true, false));
}

TEST(VisibleKeys, WindowCountsKeysFromThePositionOfTheQuery) {
  EXPECT_THAT(visible_keys({1, 2, 4}, nullptr, {.before = 1}),
              ElementsAre(false, true, true, true, false, false, true, true));
  EXPECT_THAT(visible_keys({1, 2, 4}, nullptr, {.before = 1, .after = 0}),
              ElementsAre(false, true, true, false, false, false, true, true));
  EXPECT_THAT(visible_keys({1, 2, 4}, nullptr, {.corner = MaskCorner::top_left, .after = 1}),
              ElementsAre(true, true, false, false, true, true, true, false));
  EXPECT_THAT(visible_keys({1, 1, 3}, nullptr, {.causal = true, .before = SIZE_MAX}),
              ElementsAre(true, true, true));
}

TEST(VisibleKeys, OptionsOfAttentionChooseTheRange) {
  const KeyRange range = key_range(
      {.causal = true, .mask_corner = MaskCorner::top_left, .window_left = 3, .window_right = 2});
  EXPECT_TRUE(range.causal);
  EXPECT_EQ(range.corner, MaskCorner::top_left);
  EXPECT_EQ(range.before, 3u);
  EXPECT_EQ(range.after, 2u);
  EXPECT_FALSE(key_range({}).hides_keys());
  EXPECT_TRUE(key_range({.window_right = 9}).hides_keys());
}

TEST(VisibleKeys, RowsWithoutVisibleKeysAreFound) {
  EXPECT_TRUE(has_visible_key_in_every_row({}, 2));
  EXPECT_TRUE(has_visible_key_in_every_row({{true, false}, {false, true}}, 2));
  EXPECT_FALSE(has_visible_key_in_every_row({{true, true}, {false, false}}, 2));
}

TEST(VisibleKeys, SinkIsVisibleBehindTheKeysOfEachRow) {
  EXPECT_FALSE(tensor::is_given(add_visible_sink({}, 3)));
  EXPECT_EQ(add_visible_sink({true, false}, 2), (tensor::Mask{true, false, true}));
  EXPECT_EQ(add_visible_sink({{true, false}, {false, false}}, 2),
            (tensor::Mask{{true, false, true}, {false, false, true}}));
}

}  // namespace
}  // namespace normproof::ref::model
