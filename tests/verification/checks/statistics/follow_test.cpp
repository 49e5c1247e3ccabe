#include "verification/checks/statistics/follow.hpp"

#include <gtest/gtest.h>

#include "tests/ref/numeric/error_message.hpp"

namespace normproof::tests::verification::checks::statistics {
namespace {

using namespace normproof::verification::checks::statistics;
namespace model = normproof::ref::model;
using normproof::ref::tensor::Mask;
using normproof::ref::tensor::Tensor;

Tensor<double> rows(std::vector<double> values) {
  Tensor<double> result = ref::tensor::empty_tensor<double>({values.size(), 1});
  std::copy(values.begin(), values.end(), result.data());
  return result;
}

Mask mask(std::vector<bool> values) {
  Mask result = ref::tensor::empty_tensor<bool>({values.size()});
  std::copy(values.begin(), values.end(), result.data());
  return result;
}

const Mask kTwo = mask({true, true});

// Computed by hand. The batches (0, 2) and (2, 6) have the means 1 and 4 and the variances 1 and 4.
// The running values start as the values of the first batch.
TEST(FollowedStatistics, FluctuationOfBatchNormIsMeasuredFromTheRunningValuesBeforeTheStep) {
  ScenarioRecorder follower(
      {.name = "",
       .description = "",
       .options =
           model::BatchNormOptions{.running_decay = 0.5, .unbiased_running_variance = false}},
      1);
  follower.step(rows({0, 2}), rows({0, 0}), kTwo);
  EXPECT_FALSE(follower.steps()[0].mean);
  EXPECT_FALSE(follower.steps()[0].variance);
  EXPECT_FALSE(follower.steps()[0].recursion);
  follower.step(rows({2, 6}), rows({0, 0}), kTwo);
  follower.step(rows({2, 6}), rows({0, 0}), kTwo);
  const auto& steps = follower.steps();
  EXPECT_EQ(steps[1].mean->absolute, 3);  // 4 - 1
  EXPECT_EQ(steps[1].mean->relative, 3);  // divided by the root of the running variance, 1
  EXPECT_EQ(steps[1].variance->absolute, 3);
  EXPECT_EQ(steps[1].variance->relative, 3);
  EXPECT_EQ(steps[2].mean->absolute, 1.5);      // 4 - 2.5
  EXPECT_EQ(steps[2].variance->absolute, 1.5);  // 4 - 2.5
  EXPECT_EQ(steps[2].variance->relative, 1.5 / 2.5);
  EXPECT_FALSE(steps[2].quadratic_mean);
  EXPECT_FALSE(follower.is_power_norm());
}

// Computed by hand for eps = 0 and alpha = 1/2, with psi^2 = 4 at the start.
// Step 1: x_hat = (1, 1), Gamma = 1, Lambda = 3, nu = 0 (1 - 1/2) + 3/2.
// Step 2: psi_B^2 = 16, Gamma = 4, theta = 2, Lambda = 2, nu = 3/2 (1 - 2) + 1 = -1/2.
TEST(FollowedStatistics, PowerNormFollowsTheRecursionOfThePaper) {
  ScenarioRecorder follower(
      {.name = "",
       .description = "",
       .options = model::PowerNormOptions{.eps = 0, .alpha_forward = 0.5, .alpha_backward = 0.5}},
      1);
  follower.step(rows({2, 2}), rows({3, 3}), kTwo);
  follower.step(rows({4, 4}), rows({1, 1}), kTwo);
  const auto& steps = follower.steps();
  EXPECT_EQ(steps[0].recursion->max_theta, 0.5);
  EXPECT_EQ(steps[0].recursion->max_nu, 1.5);
  EXPECT_EQ(steps[1].quadratic_mean->absolute, 12);
  EXPECT_EQ(steps[1].quadratic_mean->relative, 3);
  EXPECT_EQ(steps[1].recursion->max_theta, 2);
  EXPECT_EQ(steps[1].recursion->max_nu, 0.5);
  EXPECT_EQ(steps[1].recursion->rms_nu, 0.5);
  EXPECT_FALSE(follower.diverged());
}

TEST(FollowedStatistics, NuOfTheReleasedLayerIsConvertedToThePapersUnits) {
  model::PowerNormReleasedOptions released{.eps = 0, .alpha_forward = 0.5, .alpha_backward = 0.5};
  released.warmup_iterations = 1;
  released.group_scaling = false;
  ScenarioRecorder follower({.name = "", .description = "", .options = released}, 1);
  follower.step(rows({2, 2}), rows({3, 3}), kTwo);
  EXPECT_EQ(follower.steps()[0].recursion->max_nu, 1.5);  // the state holds 3
  EXPECT_EQ(follower.last().state.at("nu").data()[0], 3);
}

TEST(FollowedStatistics, PaddingCountsOnlyWithoutTheMask) {
  const model::BatchNormOptions options{.unbiased_running_variance = false};
  ScenarioRecorder masked({.name = "", .description = "", .options = options}, 1);
  ScenarioRecorder counted({.name = "", .description = "", .options = options, .masked = false}, 1);
  const Mask first = mask({true, true, false});
  masked.step(rows({1, 3, 8}), rows({0, 0, 0}), first);
  counted.step(rows({1, 3, 8}), rows({0, 0, 0}), first);
  EXPECT_EQ(masked.last().outputs.at("mean").data()[0], 2);
  EXPECT_EQ(counted.last().outputs.at("mean").data()[0], 4);
}

TEST(FollowedStatistics, ForwardContinuesAfterNuHasDiverged) {
  model::PowerNormReleasedOptions released{.alpha_backward = 0.5};
  released.warmup_iterations = 0;
  released.group_scaling = false;
  ScenarioRecorder follower({.name = "", .description = "", .options = released}, 1);
  const Mask half = mask({true, false});
  std::size_t step = 0;
  for (; step < 200 && !follower.diverged(); ++step)
    follower.step(rows({1, 1e8}), rows({1, 0}), half);
  ASSERT_TRUE(follower.diverged());
  ASSERT_LT(step, 20u);
  EXPECT_GT(follower.steps().back().recursion->rms_nu, 1e100);
  follower.step(rows({1, 1e8}), rows({1, 0}), half);
  EXPECT_FALSE(follower.steps().back().recursion);
  EXPECT_TRUE(follower.steps().back().quadratic_mean);
}

TEST(FollowedStatistics, C1_RejectsOtherLayers) {
  EXPECT_EQ(normproof::ref::numeric::contract_violation([] {
              ScenarioRecorder(
                  {.name = "", .description = "", .options = model::LayerNormOptions{}}, 1);
            }).argument,
            "scenario.options");
}

}  // namespace
}  // namespace normproof::tests::verification::checks::statistics
