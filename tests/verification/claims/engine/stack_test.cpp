#include "verification/claims/engine/stack.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "verification/claims/fixtures/encoder_case.hpp"

namespace normproof::verification::claims::engine {

using namespace fixtures;

namespace {

using ref::model::NormPlacement;
using ref::numeric::ball;

EncoderCase make_network(NormPlacement placement, std::size_t layers) {
  engine::Run run;
  run.claim = "stack_test";
  EncoderCase c = draw_gaussian_network(run, "", 0, 2, 4, layers);
  c.placement = placement;
  c.final_norm = placement == NormPlacement::pre;
  return c;
}

// Running the layers one by one must give the same values and gradients as running the whole stack.
TEST(RunLayerStack, EqualsRunningTheLayersOneByOne) {
  for (const NormPlacement placement : {NormPlacement::post, NormPlacement::pre}) {
    auto in = make_network(placement, 3).inputs<double>();
    const auto whole = run_stack(in);
    auto first = in, rest = in;
    first.layers.resize(1);
    first.final_norm = false;
    rest.layers.erase(rest.layers.begin());
    const auto middle = run_stack(first);
    rest.x = middle.y;
    const auto second = run_stack(rest);
    EXPECT_EQ(second.y, whole.y);
    first.grad_y = second.grad_x;
    EXPECT_EQ(run_stack(first).grad_x, whole.grad_x);
    ASSERT_EQ(whole.gradients.size(), 3u);
    EXPECT_EQ(second.gradients[1].feed_forward.second.weight,
              whole.gradients[2].feed_forward.second.weight);
    EXPECT_EQ(whole.values.count("final_norm.x"), placement == NormPlacement::pre ? 1u : 0u);
    EXPECT_EQ(middle.values.at("layers.0.norm2.x"), whole.values.at("layers.0.norm2.x"));
  }
}

TEST(RunLayerStack, RunsOnlyTheForwardIfThereIsNoUpstreamGradient) {
  const auto step = run_stack(make_network(NormPlacement::post, 2).inputs<double>(false));
  EXPECT_FALSE(ref::tensor::is_given(step.grad_x));
  EXPECT_TRUE(step.gradients.empty());
}

// The stack has one layer whose sublayers add 0 to x. So y is x after two norms. Inference uses the
// running statistics 0 and 1 unless an earlier step updates them.
TEST(RunLayerStack, InferenceUsesTheRunningStatisticsOfTheEarlierStep) {
  EncoderCase c{.tokens = 2, .d_model = 2, .layers = {{{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}}}};
  c.x = {1, 3, 5, 9};
  auto in = c.inputs<double>(false);
  in.config.norm = ref::model::BatchNormOptions{.eps = 0, .running_decay = 0};
  EXPECT_EQ(run_stack(in).y.data()[0], -1);
  in.mode = Mode::inference;
  EXPECT_EQ(run_stack(in).y, in.x);
  in.before = in.x;
  // The feature with -3 and 5 has the mean 1 and the unbiased variance 32.
  in.before.data()[0] = -3;
  const auto y = run_stack(in).y;
  EXPECT_EQ(y.data()[0], 0);
  // The unbiased variance of -1 and 1 is 2.
  EXPECT_NEAR(y.data()[2], 4 / (std::sqrt(32.0) * std::sqrt(2.0)), 0x1p-51);
}

TEST(RunLayerStack, BallsContainTheResultsInDouble) {
  const EncoderCase c = make_network(NormPlacement::post, 2);
  const auto doubles = run_stack(c.inputs<double>());
  // 53 bits make the balls as wide as the rounding errors of double
  const ref::numeric::BallPrecision precision(53);
  const auto balls = run_stack(c.inputs<ball>());
  const ref::numeric::BallPrecision fine(256);
  const auto points = run_stack(c.inputs<ball>());
  for (std::size_t i = 0; i < doubles.grad_x.size(); ++i) {
    const ball& exact = points.grad_x.data()[i];
    EXPECT_GE(exact.lower(), balls.grad_x.data()[i].lower());
    EXPECT_LE(exact.upper(), balls.grad_x.data()[i].upper());
  }
}

TEST(RunLayerStack, RejectsWhatTheLayersReject) {
  auto in = make_network(NormPlacement::post, 1).inputs<double>();
  in.x = ref::tensor::empty_tensor<double>({1, 2, 3});
  EXPECT_THROW(run_stack(in), ref::numeric::ContractError);
}

}  // namespace
}  // namespace normproof::verification::claims::engine
