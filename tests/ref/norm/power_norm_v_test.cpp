#include "ref/norm/power_norm_v.hpp"

#include <gtest/gtest.h>

#include "tests/ref/norm/broken_layer.hpp"
#include "tests/ref/norm/messages.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::ref::norm {
namespace {

using model::Mode;

const Tensor<double> kPowerNormVX = {{2, 1}, {-2, 3}, {2, -3}, {2, 1}};
const model::PowerNormVOptions kPowerNormVOptions{.eps = 0, .running_decay = 0.5};

TEST(PowerNormV, MatchesHandComputedValues) {
  const Tensor<double> x = column({2, -2, 2, 2});
  const auto forward = power_norm_v(x, {{3}, {1}}, {}, {{1}}, kPowerNormVOptions);
  EXPECT_BITS_EQ(forward.saved.quadratic_mean, (Tensor<double>{4}));
  EXPECT_BITS_EQ(forward.y, column({4, -2, 4, 4}));
  EXPECT_BITS_EQ(forward.state.running_psi2, (Tensor<double>{2.5}));
  const auto gradients =
      power_norm_v_backward(column({4, 0, 0, 0}), x, {{3}, {1}}, {}, forward.saved);
  EXPECT_BITS_EQ(gradients.grad_gamma, (Tensor<double>{4}));
  EXPECT_BITS_EQ(gradients.grad_x, column({4.5, 1.5, -1.5, -1.5}));
}

TEST(PowerNormV, PaddedRowsAreScaledAndCountInTheSumsOfTheBackward) {
  const Mask valid = {true, true, true, false};
  const Tensor<double> x = column({2, -2, 2, 6});
  const auto forward = power_norm_v(x, {}, valid, {{1}}, kPowerNormVOptions);
  EXPECT_BITS_EQ(forward.y, column({1, -1, 1, 3}));
  const auto gradients = power_norm_v_backward(column({0, 0, 0, 2}), x, {}, valid, forward.saved);
  // The sum of g x_hat over all rows is 6, so c = 6/3 = 2; c is not subtracted in the padded row.
  EXPECT_BITS_EQ(gradients.grad_x, column({-1, 1, -1, 1}));
  const auto silent = power_norm_v_backward(column({1, 0, 0, 0}), x, {}, valid, forward.saved);
  EXPECT_BITS_EQ(silent.grad_x(3, 0), 0.0);
}

TEST(PowerNormV, HandlesOneRow) {
  const auto forward = power_norm_v<double>(column({3}), {}, {}, {{1}}, {.eps = 16});
  EXPECT_BITS_EQ(forward.y, column({3 * (1.0 / 5)}));
}

TEST(PowerNormV, AcceptsAZeroColumnOnlyWithEps) {
  const Tensor<double> x = column({0, 0});
  EXPECT_BITS_EQ(power_norm_v(x, {}, {}, {{1}}).y, x);
  EXPECT_EQ(contract_message([&] { power_norm_v(x, {}, {}, {{1}}, kPowerNormVOptions); }),
            "power_norm_v: x makes rstd at [0] = inf; expected values so small that sums of their "
            "squares stay finite, and eps > 0 where they vanish (C2)");
}

TEST(PowerNormV, InferenceUsesTheRunningStatisticsWithoutChangingThem) {
  const auto forward =
      power_norm_v(kPowerNormVX, {}, {}, {{16, 0.25}}, kPowerNormVOptions, Mode::inference);
  EXPECT_BITS_EQ(forward.y, (Tensor<double>{{0.5, 2}, {-0.5, 6}, {0.5, -6}, {0.5, 2}}));
  EXPECT_BITS_EQ(forward.state.running_psi2, (Tensor<double>{16, 0.25}));
}

// Each test below violates one requirement of the contract.
NORMPROOF_REJECTS(PowerNormV, C1_RejectsAnEmptyX, kEmptyX);
NORMPROOF_REJECTS(PowerNormV, C2_RejectsNegativeEps, wrong_option("eps", "-1"));
NORMPROOF_REJECTS(PowerNormV, C2_RejectsAllZerosWithoutEps, kZerosWithoutEps);
NORMPROOF_REJECTS(PowerNormV, C3_RejectsGammaOfWrongExtent, kGammaOfWrongExtent);
NORMPROOF_REJECTS(PowerNormV, C3_RejectsBetaOfWrongExtent, kBetaOfWrongExtent);
NORMPROOF_REJECTS(PowerNormV, C4_RejectsAnInfiniteElement, kInfiniteX);
NORMPROOF_REJECTS(PowerNormV, C4_RejectsNanInGamma, kNanInGamma);
NORMPROOF_REJECTS(PowerNormV, C4_RejectsOverflowingStatistics, kHugeX);
NORMPROOF_REJECTS(PowerNormV, C5_RejectsGradYOfWrongShape, kGradYOfWrongShape);
NORMPROOF_REJECTS(PowerNormV, C6_RejectsSavedRstdOfWrongExtent,
                  saved_statistic_of_wrong_extent("rstd"));
NORMPROOF_REJECTS(PowerNormV, C7_RejectsInfiniteGradY, kInfiniteGradY);
NORMPROOF_REJECTS(PowerNormV, C8_RejectsMaskWithoutValidRow, kNoValidRow);
NORMPROOF_REJECTS(PowerNormV, C8_RejectsMaskOfWrongShape, kMaskOfWrongShape);
NORMPROOF_REJECTS(PowerNormV, C9_RejectsRunningDecayAboveOne, wrong_option("running_decay", "1.5"));
NORMPROOF_REJECTS(PowerNormV, C10_RejectsRunningPsi2OfWrongExtent,
                  state_of_wrong_extent("running_psi2"));
NORMPROOF_REJECTS(PowerNormV, C10_RejectsNanInRunningPsi2, state_with_nan("running_psi2"));
NORMPROOF_REJECTS(PowerNormV, C10_RejectsNegativeRunningPsi2, state_with_negative("running_psi2"));

}  // namespace
}  // namespace normproof::ref::norm
