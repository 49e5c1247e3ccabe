#include "verification/claims/backward_check.hpp"

#include <gtest/gtest.h>

namespace normproof::verification::claims {
namespace {

Batch example() {
  Batch b;
  b.rows = 4, b.features = 2;
  b.x = {1, 2, 0, 5, -3, 1, 2, 2};
  b.grad_y = {1, 0, -1, 2, 0.5, 0, 3, 1};
  b.gamma = {2, -1};
  b.beta = {0, 1};
  b.eps = 0.25;
  return b;
}

TEST(CompareBackward, EveryLayerAgreesWithFormulaAndDerivative) {
  Batch bare = example();
  bare.gamma.clear();
  bare.beta.clear();
  for (const Layer& layer : {batch_norm_layer(), layer_norm_layer(), power_norm_v_layer(),
                             rms_norm_layer(), group_norm_layer(), instance_norm_layer()})
    EXPECT_EQ(compare_backward({}, layer, example()).judgement.outcome, Judgement::Outcome::held)
        << layer.name;
  for (const Layer& layer : {group_scaling_layer(), scale_norm_layer()})
    EXPECT_EQ(compare_backward({}, layer, bare).judgement.outcome, Judgement::Outcome::held)
        << layer.name;
}

TEST(CompareBackward, SeesTheWrongStatistic) {
  Layer wrong = batch_norm_layer();
  wrong.statistic = Statistic::quadratic_mean;
  const ComparedBackward c = compare_backward({}, wrong, example());
  EXPECT_EQ(c.judgement.outcome, Judgement::Outcome::violated);
  EXPECT_TRUE(c.grad_x != c.formula);
  EXPECT_TRUE(absolute(c.grad_x - c.derivative) <= 1e4 * epsilon50());
}

TEST(CompareBackward, SeesAFormulaThatIsNotTheDerivative) {
  // PowerNorm's backward with nu = 0 is g/s; with a nu it is no derivative. Here: psi frozen.
  Subject subject;
  subject.step_dual = [](const auto& options, auto in, const auto& state) {
    in.mode = ref::model::Mode::inference;
    return ref::norm::norm_step<dual>(options, in, state);
  };
  const ComparedBackward c = compare_backward(subject, power_norm_v_layer(), example());
  EXPECT_EQ(c.judgement.outcome, Judgement::Outcome::violated);
  EXPECT_TRUE(c.grad_x != c.derivative);
}

TEST(Slope, IsTheDerivativeInTheDirectionGiven) {
  // y = x / sqrt(x^2) = sign(x): no slope in x; y = gamma x_hat: slope x_hat in gamma.
  Batch b;
  b.rows = b.features = 1;
  b.x = {3};
  b.gamma = {2};
  auto in = b.inputs<dual>();
  in.gamma.data()[0].derivative = 1;
  const NormOptions options = ref::model::PowerNormVOptions{.eps = 0};
  const auto state = ref::norm::initial_state<dual>(options, 1);
  EXPECT_TRUE(slope({}, options, in, state, {5}) == 5);
}

TEST(Extents, AreFunctionsOfTheBatch) {
  Batch b;
  b.rows = 6, b.features = 4;
  EXPECT_EQ(samples_of(b), 3u);
  EXPECT_EQ(groups_of(b), 2u);
  b.rows = 4, b.features = 3;
  EXPECT_EQ(samples_of(b), 2u);
  EXPECT_EQ(groups_of(b), 1u);
  b.rows = 5;
  EXPECT_EQ(samples_of(b), 1u);
}

}  // namespace
}  // namespace normproof::verification::claims
