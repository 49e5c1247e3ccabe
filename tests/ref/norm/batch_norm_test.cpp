#include "ref/norm/batch_norm.hpp"

#include <gtest/gtest.h>

#include "tests/ref/norm/broken_layer.hpp"
#include "tests/ref/norm/messages.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::ref::norm {
namespace {

using model::Mode;

const Tensor<double> kBatchNormX = {{0, 10}, {2, 10}, {0, 14}, {2, 14}};
const BatchNormState<double> kBatchNormInitialState{{0, 0}, {1, 1}};
const model::BatchNormOptions kBiased{
    .eps = 0, .running_decay = 0.5, .unbiased_running_variance = false};

TEST(BatchNorm, MatchesHandComputedValues) {
  const auto forward =
      batch_norm(kBatchNormX, {{1, 4}, {0, 1}}, {}, kBatchNormInitialState, kBiased);
  EXPECT_BITS_EQ(forward.saved.mean, (Tensor<double>{1, 12}));
  EXPECT_BITS_EQ(forward.saved.biased_variance, (Tensor<double>{1, 4}));
  EXPECT_BITS_EQ(forward.saved.rstd, (Tensor<double>{1, 0.5}));
  EXPECT_BITS_EQ(forward.y, (Tensor<double>{{-1, -3}, {1, -3}, {-1, 5}, {1, 5}}));
  EXPECT_BITS_EQ(forward.state.running_mean, (Tensor<double>{0.5, 6}));
  EXPECT_BITS_EQ(forward.state.running_variance, (Tensor<double>{1, 2.5}));
}

TEST(BatchNorm, UnbiasedRunningVarianceIsAnOption) {
  const Tensor<double> x = column({0, 2, 4});  // biased 8/3, unbiased 4
  model::BatchNormOptions options{.eps = 0, .running_decay = 0};
  const auto state = batch_norm(x, {}, {}, {{0}, {1}}, options).state;
  EXPECT_BITS_EQ(state.running_variance, (Tensor<double>{4}));
  options.unbiased_running_variance = false;
  EXPECT_BITS_EQ(batch_norm(x, {}, {}, {{0}, {1}}, options).state.running_variance,
                 (Tensor<double>{8.0 / 3}));
}

TEST(BatchNorm, BackwardMatchesHandComputedValues) {
  const Affine<double> affine{{1, 4}, {0, 1}};
  const auto forward = batch_norm(kBatchNormX, affine, {}, kBatchNormInitialState, kBiased);
  const Tensor<double> grad_y = {{4, 0}, {0, 0}, {0, 0}, {0, 1}};
  const auto gradients = batch_norm_backward(grad_y, kBatchNormX, affine, {}, forward.saved);
  EXPECT_BITS_EQ(gradients.grad_gamma, (Tensor<double>{-4, 1}));
  EXPECT_BITS_EQ(gradients.grad_beta, (Tensor<double>{4, 1}));
  // Channel 0: a = 1, c = -1. Channel 1: g = 4 grad_y, a = 1, c = 1, rstd = 1/2.
  EXPECT_BITS_EQ(gradients.grad_x, (Tensor<double>{{2, 0}, {0, 0}, {-2, -1}, {0, 1}}));
}

TEST(BatchNorm, PaddingDoesNotChangeTheStatistics) {
  const Tensor<double> padded = {{0, 10}, {1e30, -7}, {2, 10}, {0, 14}, {5, 1e9}, {2, 14}};
  const Mask valid = {true, false, true, true, false, true};
  const auto with = batch_norm(padded, {}, valid, kBatchNormInitialState);
  const auto without = batch_norm(kBatchNormX, {}, {}, kBatchNormInitialState);
  EXPECT_BITS_EQ(with.saved.mean, without.saved.mean);
  EXPECT_BITS_EQ(with.saved.rstd, without.saved.rstd);
  EXPECT_BITS_EQ(with.state.running_variance, without.state.running_variance);
  EXPECT_BITS_EQ(with.y(2, 0), without.y(1, 0));
}

TEST(BatchNorm, InferenceUsesTheRunningStatisticsWithoutChangingThem) {
  const BatchNormState<double> state{{1, 2}, {4, 0.25}};
  const auto forward = batch_norm(kBatchNormX, {}, {}, state, kBiased, Mode::inference);
  EXPECT_BITS_EQ(forward.y, (Tensor<double>{{-0.5, 16}, {0.5, 16}, {-0.5, 24}, {0.5, 24}}));
  EXPECT_BITS_EQ(forward.state.running_mean, state.running_mean);
  EXPECT_BITS_EQ(forward.state.running_variance, state.running_variance);
  const auto gradients =
      batch_norm_backward(kBatchNormX, kBatchNormX, {}, {}, forward.saved, Mode::inference);
  EXPECT_BITS_EQ(gradients.grad_x, (Tensor<double>{{0, 20}, {1, 20}, {0, 28}, {1, 28}}));
}

TEST(BatchNorm, UnbiasedRunningVarianceNeedsTwoValidRows) {
  const Tensor<double> one_row = {{1, 2}};
  EXPECT_EQ(contract_message([&] { batch_norm(one_row, {}, {}, kBatchNormInitialState); }),
            "batch_norm: x has 1 row; expected at least 2 with unbiased_running_variance (C8)");
  EXPECT_EQ(contract_message([&] {
              batch_norm(kBatchNormX, {}, {true, false, false, false}, kBatchNormInitialState);
            }),
            "batch_norm: valid has 1 valid row; expected at least 2 with "
            "unbiased_running_variance (C8)");
  EXPECT_BITS_EQ(
      batch_norm(one_row, {}, {}, kBatchNormInitialState, {.unbiased_running_variance = false}).y,
      (Tensor<double>{{0, 0}}));
}

TEST(BatchNorm, C8_RejectsMaskWithoutValidRow) {
  const Mask none = {false, false, false, false};
  EXPECT_EQ(contract_message([&] { batch_norm(kBatchNormX, {}, none, kBatchNormInitialState); }),
            "batch_norm: valid has no valid row; expected at least one valid row (C8)");
}

TEST(BatchNorm, C10_RejectsRunningMeanOfWrongExtent) {
  EXPECT_EQ(contract_message([&] {
              batch_norm(kBatchNormX, {}, {}, {{0}, {1, 1}});
            }),
            "batch_norm: running_mean has shape [1]; expected shape [2] (C10)");
}

TEST(BatchNorm, C10_RejectsNegativeRunningVariance) {
  EXPECT_EQ(contract_message([&] {
              batch_norm(kBatchNormX, {}, {}, {{0, 0}, {1, -1}});
            }),
            "batch_norm: running_variance has the element [1] below 0; expected no negative "
            "element (C10)");
}

TEST(BatchNorm, C9_RejectsRunningDecayAboveOne) {
  EXPECT_EQ(contract_message([&] {
              batch_norm(kBatchNormX, {}, {}, kBatchNormInitialState, {.running_decay = 1.5});
            }),
            "batch_norm: running_decay is 1.5; expected a weight in [0, 1] (C9)");
}

// Each test below violates one requirement of the contract.
NORMPROOF_REJECTS(BatchNorm, C1_RejectsAnEmptyX, kEmptyX);
NORMPROOF_REJECTS(BatchNorm, C2_RejectsNegativeEps, wrong_option("eps", "-1"));
NORMPROOF_REJECTS(BatchNorm, C2_RejectsAllZerosWithoutEps, kZerosWithoutEps);
NORMPROOF_REJECTS(BatchNorm, C3_RejectsGammaOfWrongExtent, kGammaOfWrongExtent);
NORMPROOF_REJECTS(BatchNorm, C3_RejectsBetaOfWrongExtent, kBetaOfWrongExtent);
NORMPROOF_REJECTS(BatchNorm, C4_RejectsAnInfiniteElement, kInfiniteX);
NORMPROOF_REJECTS(BatchNorm, C4_RejectsNanInGamma, kNanInGamma);
NORMPROOF_REJECTS(BatchNorm, C4_RejectsOverflowingStatistics, kHugeX);
NORMPROOF_REJECTS(BatchNorm, C5_RejectsGradYOfWrongShape, kGradYOfWrongShape);
NORMPROOF_REJECTS(BatchNorm, C6_RejectsSavedRstdOfWrongExtent,
                  saved_statistic_of_wrong_extent("rstd"));
NORMPROOF_REJECTS(BatchNorm, C7_RejectsInfiniteGradY, kInfiniteGradY);
NORMPROOF_REJECTS(BatchNorm, C8_RejectsMaskOfWrongShape, kMaskOfWrongShape);
NORMPROOF_REJECTS(BatchNorm, C10_RejectsNanInRunningMean, state_with_nan("running_mean"));
NORMPROOF_REJECTS(BatchNorm, C10_RejectsRunningVarianceOfWrongExtent,
                  state_of_wrong_extent("running_variance"));
NORMPROOF_REJECTS(BatchNorm, C10_RejectsNanInRunningVariance, state_with_nan("running_variance"));

TEST(BatchNorm, C13_RejectsLayoutsOtherThanRows) {
  EXPECT_EQ(contract_message([] {
              batch_norm(kBatchNormX, {}, {}, kBatchNormInitialState,
                         {.layout = model::Layout::channels_first});
            }),
            "batch_norm: layout is not rows; expected rows (C13)");
}

}  // namespace
}  // namespace normproof::ref::norm
