#include "ref/train/prediction.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace normproof::ref::train {
namespace {

using ::testing::ElementsAre;

TEST(Predict, ReturnsTheFirstClassWithTheLargestLogit) {
  EXPECT_THAT(predict({{1, 3, 3}, {0, -1, -2}}, {}), ElementsAre(1, 0));
  const Mask valid{{true, false}};
  EXPECT_THAT(predict({{{1, 2}, {9, 0}}}, valid), ElementsAre(1));
  EXPECT_THAT(predict({{{1, 2}, {9, 0}}}, {}), ElementsAre(0));
}

}  // namespace
}  // namespace normproof::ref::train
