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

TEST(PowerNormV, ByHand) {
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

TEST(PowerNormV, PaddedRowsAreScaledAndCountInTheSumOfTheBackward) {
  const Mask valid = {true, true, true, false};
  const Tensor<double> x = column({2, -2, 2, 6});
  const auto forward = power_norm_v(x, {}, valid, {{1}}, kPowerNormVOptions);
  EXPECT_BITS_EQ(forward.y, column({1, -1, 1, 3}));
  const auto gradients = power_norm_v_backward(column({0, 0, 0, 2}), x, {}, valid, forward.saved);
  // sum over all rows of g x_hat = 6, c = 6/3 = 2; the padded row has no projection.
  EXPECT_BITS_EQ(gradients.grad_x, column({-1, 1, -1, 1}));
  const auto silent = power_norm_v_backward(column({1, 0, 0, 0}), x, {}, valid, forward.saved);
  EXPECT_BITS_EQ(silent.grad_x(3, 0), 0.0);
}

TEST(PowerNormV, OneRow) {
  const auto forward = power_norm_v<double>(column({3}), {}, {}, {{1}}, {.eps = 16});
  EXPECT_BITS_EQ(forward.y, column({3 * (1.0 / 5)}));
}

TEST(PowerNormV, AZeroColumnIsFiniteWithEpsAndNamedWithout) {
  const Tensor<double> x = column({0, 0});
  EXPECT_BITS_EQ(power_norm_v(x, {}, {}, {{1}}).y, x);
  EXPECT_EQ(contract_message([&] { power_norm_v(x, {}, {}, {{1}}, kPowerNormVOptions); }),
            "power_norm_v: x makes rstd at [0] = inf; expected values so small that sums of their "
            "squares stay finite, and eps > 0 where they vanish (C2)");
}

TEST(PowerNormV, InferenceUsesTheStateAndLeavesItAlone) {
  const auto forward =
      power_norm_v(kPowerNormVX, {}, {}, {{16, 0.25}}, kPowerNormVOptions, Mode::inference);
  EXPECT_BITS_EQ(forward.y, (Tensor<double>{{0.5, 2}, {-0.5, 6}, {0.5, -6}, {0.5, 2}}));
  EXPECT_BITS_EQ(forward.state.running_psi2, (Tensor<double>{16, 0.25}));
}

// The requirements of the contract, each broken alone.
NORMPROOF_REFUSES(PowerNormV, C1AnExtentOfXIsZero, kEmptyX);
NORMPROOF_REFUSES(PowerNormV, C2EpsIsBelowZero, wrong_option("eps", "-1"));
NORMPROOF_REFUSES(PowerNormV, C2ZerosWithoutEps, kZerosWithoutEps);
NORMPROOF_REFUSES(PowerNormV, C3GammaOfAnotherExtent, kLongerGamma);
NORMPROOF_REFUSES(PowerNormV, C3BetaOfAnotherExtent, kLongerBeta);
NORMPROOF_REFUSES(PowerNormV, C4AnElementIsInfinite, kInfiniteX);
NORMPROOF_REFUSES(PowerNormV, C4GammaIsNan, kNanInGamma);
NORMPROOF_REFUSES(PowerNormV, C4AStatisticOverflows, kHugeX);
NORMPROOF_REFUSES(PowerNormV, C5GradYOfAnotherShape, kOtherGradY);
NORMPROOF_REFUSES(PowerNormV, C6RstdOfAnotherExtent, longer_saved("rstd"));
NORMPROOF_REFUSES(PowerNormV, C7GradYIsInfinite, kInfiniteGradY);
NORMPROOF_REFUSES(PowerNormV, C8NoRowIsValid, kNoValidRow);
NORMPROOF_REFUSES(PowerNormV, C8AMaskOfAnotherShape, kLongerMask);
NORMPROOF_REFUSES(PowerNormV, C9RunningDecayAboveOne, wrong_option("running_decay", "1.5"));
NORMPROOF_REFUSES(PowerNormV, C10RunningPsi2OfAnotherExtent, longer_state("running_psi2"));
NORMPROOF_REFUSES(PowerNormV, C10RunningPsi2IsNan, nan_in_state("running_psi2"));
NORMPROOF_REFUSES(PowerNormV, C10RunningPsi2IsNegative, negative_state("running_psi2"));

}  // namespace
}  // namespace normproof::ref::norm
