#include "ref/nn/score_cap.hpp"

#include <gtest/gtest.h>

#include "ref/numeric/elementary.hpp"
#include "tests/ref/numeric/special_values.hpp"
#include "tests/ref/ops/lenses.hpp"

namespace normproof::ref::nn {
namespace {

TEST(ScoreCap, BendsScoresByTanhAndReturnsTheTangents) {
  Tensor<double> scores = {{0.5, -3, 40}};
  const Tensor<double> tanh = cap_scores(scores, 2.0);
  for (std::size_t i = 0; i < 3; ++i) {
    const double t = numeric::tanh((Tensor<double>{{0.5, -3, 40}}).data()[i] / 2);
    EXPECT_BITS_EQ(tanh.data()[i], t);
    EXPECT_BITS_EQ(scores.data()[i], t * 2);
  }
}

TEST(ScoreCap, LeavesAScoreThatIsNotFinite) {
  Tensor<double> scores = {{-numeric::kInfinity, 1}};
  const Tensor<double> tanh = cap_scores(scores, 2.0);
  EXPECT_EQ(scores.data()[0], -numeric::kInfinity);
  EXPECT_BITS_EQ(tanh.data()[0], 0.0);
}

TEST(ScoreCap, MultipliesTheGradientByTheDerivativeOfTheCap) {
  Tensor<double> gradient = {{3, 3, -2}};
  cap_scores_backward(Tensor<double>{{0.5, 1, 0}}, gradient);
  EXPECT_BITS_EQ(gradient, (Tensor<double>{{2.25, 0, -2}}));
}

}  // namespace
}  // namespace normproof::ref::nn
