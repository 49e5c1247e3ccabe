#include "verification/claims/ledger/encoders.hpp"

#include <gtest/gtest.h>

namespace normproof::verification::claims::ledger {

using namespace engine;
using namespace fixtures;
namespace {

using Outcome = Judgement::Outcome;
using ref::numeric::ball;

ball one_third() {
  return ball(1) / ball(3);
}

TEST(OverlapJudgment, HoldsIfTwoEnclosuresOverlap) {
  const ref::numeric::BallPrecision precision(kEncoderBits);
  EXPECT_EQ(judge_overlap(ball(2), ball(2)).outcome, Outcome::held);
  EXPECT_EQ(judge_overlap(one_third() * ball(3), ball(1)).outcome, Outcome::held);
  EXPECT_EQ(judge_overlap(ball(2), ball(2 + 0x1p-51)).outcome, Outcome::violated);
  EXPECT_EQ(judge_overlap(one_third(), one_third() + ball(0x1p-240)).outcome, Outcome::violated);
  EXPECT_EQ(judge_overlap(one_third(), one_third() + ball(0x1p-260)).outcome, Outcome::held);
  EXPECT_GT(judge_overlap(ball(2), ball(3)).attained, 1);
}

TEST(OverlapJudgment, RejectsAnInfiniteEnclosure) {
  EXPECT_THROW(judge_overlap(ball(1) / ball(0), ball(1)), ref::numeric::ContractError);
}

TEST(SquareSum, SumsTheSelectedElements) {
  const Tensor<double> values{1, 2, 3, 4};
  EXPECT_EQ(square_sum(values), 30);
  EXPECT_EQ(square_sum(values, 1, 2), 13);
}

TEST(LayerValueName, HasTheIndexOfTheLayer) {
  EXPECT_EQ(layer_value_name(2, "norm1.x"), "layers.2.norm1.x");
}

}  // namespace
}  // namespace normproof::verification::claims::ledger
