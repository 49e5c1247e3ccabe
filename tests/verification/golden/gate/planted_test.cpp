#include "verification/golden/gate/planted.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/golden/certify/samples.hpp"

namespace normproof::verification::golden::gate {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

Tolerance bounds_of(const StoredCase& stored) {
  return tolerance(stored.description.c, corpus::usual_accumulation(stored.description.c.dtype));
}

TEST(Planted, EveryValueIsRefusedWhereItIsWrong) {
  const StoredCase stored = certified(plain_recipe("layer_norm", {3, 5}, DType::float32).make(1));
  const Planted planted = plant(stored, own_answer(stored), bounds_of(stored));
  // y, grad_x, grad_gamma, grad_beta, mean and rstd.
  EXPECT_EQ(planted.values, 4u * (15 + 15 + 5 + 5 + 3 + 3));
  EXPECT_EQ(planted.refused, planted.values);
  EXPECT_TRUE(planted.all_refused());
  EXPECT_THAT(planted.missed, IsEmpty());
}

TEST(Planted, WhatIsRightIsNotCountedAsWrong) {
  const StoredCase stored =
      certified(plain_recipe("layer_norm", {2, 3}, DType::float32)
                    .x([](std::size_t i, double normal) { return i == 4 ? kGoldenNaN : normal; })
                    .grad_y([](std::size_t, double) { return 0.0; })
                    .make(1));
  const Planted planted = plant(stored, own_answer(stored), bounds_of(stored));
  EXPECT_TRUE(planted.all_refused());
  EXPECT_GE(planted.within, 2u * 3);  // NaN and infinity in the second row of y
}

TEST(Planted, ABoundThatClaimsNothingMissesAll) {
  const StoredCase stored = certified(plain_recipe("layer_norm", {3, 5}, DType::float32).make(1));
  Tolerance bounds = bounds_of(stored);
  bounds.bound.at("grad_beta").fill(kGoldenInfinity);
  const Planted planted = plant(stored, own_answer(stored), bounds);
  EXPECT_FALSE(planted.all_refused());
  EXPECT_EQ(planted.unjudged, 4u * 5);
  EXPECT_THAT(planted.missed, testing::SizeIs(4));
  EXPECT_THAT(planted.missed.front(), HasSubstr("grad_beta of quick/layer_norm/"));
}

}  // namespace
}  // namespace normproof::verification::golden::gate
