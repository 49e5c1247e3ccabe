#include "ref/norm/layer_norm.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/ref/norm/broken_layer.hpp"
#include "tests/ref/norm/messages.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::ref::norm {
namespace {

const Tensor<double> kLayerNormX = {{0, 2, 0, 2}, {10, 10, 14, 14}};
const Affine<double> kLayerNormAffine{{1, 2, 4, 8}, {0.5, 0, 0, -1}};
const model::LayerNormOptions kNoEps{.eps = 0};

TEST(LayerNorm, MatchesHandComputedValues) {
  const auto forward = layer_norm(kLayerNormX, kLayerNormAffine, kNoEps);
  EXPECT_BITS_EQ(forward.saved.mean, (Tensor<double>{1, 12}));
  EXPECT_BITS_EQ(forward.saved.rstd, (Tensor<double>{1, 0.5}));
  EXPECT_BITS_EQ(forward.y, (Tensor<double>{{-0.5, 2, -4, 7}, {-0.5, -2, 4, 7}}));
}

TEST(LayerNorm, BackwardMatchesHandComputedValues) {
  const Tensor<double> grad_y = {{4, 0, 0, 0}, {0, 0, 0, 1}};
  const auto forward = layer_norm(kLayerNormX, kLayerNormAffine, kNoEps);
  const auto gradients = layer_norm_backward(grad_y, kLayerNormX, kLayerNormAffine, forward.saved);
  // Row 0: g = (4,0,0,0), a = 1, c = -1. Row 1: g = (0,0,0,8), a = 2, c = 2, rstd = 1/2.
  EXPECT_BITS_EQ(gradients.grad_x, (Tensor<double>{{2, 0, -2, 0}, {0, 0, -2, 2}}));
  EXPECT_BITS_EQ(gradients.grad_gamma, (Tensor<double>{-4, 0, 0, 1}));
  EXPECT_BITS_EQ(gradients.grad_beta, (Tensor<double>{4, 0, 0, 1}));
}

TEST(LayerNorm, TreatsTokensOfSequencesAsRows) {
  Tensor<double> sequence = kLayerNormX;
  sequence.reshape({2, 1, 4});
  const auto forward = layer_norm(sequence, kLayerNormAffine);
  EXPECT_EQ(tensor::shape_of(forward.y), (tensor::Shape{2, 1, 4}));
  EXPECT_EQ(tensor::shape_of(forward.saved.rstd), (tensor::Shape{2, 1}));
}

TEST(LayerNorm, AbsentParametersAreOneAndZero) {
  const Affine<double> ones{{1, 1, 1, 1}, {0, 0, 0, 0}};
  EXPECT_BITS_EQ(layer_norm(kLayerNormX, {}).y, layer_norm(kLayerNormX, ones).y);
}

TEST(LayerNorm, OneFeatureGivesBetaAndZeroGradX) {
  const Tensor<double> x = column({3, -7e200});
  const auto forward = layer_norm(x, {{2}, {5}});
  EXPECT_BITS_EQ(forward.y, column({5, 5}));
  const auto gradients = layer_norm_backward(column({1, 1}), x, {{2}, {5}}, forward.saved);
  EXPECT_BITS_EQ(gradients.grad_x, column({0, 0}));
}

TEST(LayerNorm, AConstantRowGivesBeta) {
  const Tensor<double> x = tensor::full_tensor<double>({1, 64}, 1234.0);
  EXPECT_BITS_EQ(layer_norm(x, {}).y, tensor::full_tensor<double>({1, 64}, 0.0));
}

TEST(LayerNorm, C1_RejectsAnEmptyX) {
  EXPECT_EQ(contract_message([] {
              layer_norm(Tensor<double>::from_shape({0, 4}), {});
            }),
            "layer_norm: x has shape [0, 4]; expected [N, D] or [B, T, D] with every extent at "
            "least 1 (C1)");
}

TEST(LayerNorm, C2_RejectsNegativeEps) {
  EXPECT_EQ(contract_message([] { layer_norm(kLayerNormX, {}, {.eps = -1}); }),
            "layer_norm: eps is -1; expected eps >= 0 (C2)");
}

TEST(LayerNorm, C3_RejectsGammaOfWrongExtent) {
  EXPECT_EQ(contract_message([] {
              layer_norm(kLayerNormX, {{1, 2}, {}});
            }),
            "layer_norm: gamma has shape [2]; expected shape [4] (C3)");
}

TEST(LayerNorm, C2_RejectsAConstantRowWithoutEps) {
  EXPECT_EQ(contract_message([] {
              layer_norm(tensor::full_tensor<double>({2, 4}, 7.0), {}, kNoEps);
            }),
            "layer_norm: x makes rstd at [0] = inf; expected values so small that sums of their "
            "squares stay finite, and eps > 0 where they vanish (C2)");
}

TEST(LayerNorm, C5_RejectsGradYOfWrongShape) {
  const auto saved = layer_norm(kLayerNormX, {}).saved;
  EXPECT_EQ(contract_message([&] {
              layer_norm_backward({{1, 2}}, kLayerNormX, {}, saved);
            }),
            "layer_norm_backward: grad_y has shape [1, 2]; expected shape [2, 4] (C5)");
}

TEST(LayerNorm, C6_RejectsSavedRstdOfWrongExtent) {
  const auto saved = layer_norm(kLayerNormX, {}).saved;
  EXPECT_EQ(contract_message([&] {
              layer_norm_backward(kLayerNormX, kLayerNormX, {}, {saved.mean, {1, 2, 3}});
            }),
            "layer_norm_backward: rstd has shape [3]; expected shape [2] (C6)");
}

constexpr double kNonFiniteValues[] = {std::numeric_limits<double>::infinity(),
                                       std::numeric_limits<double>::quiet_NaN()};

TEST(LayerNorm, C4_RejectsElementsThatAreNotFinite) {
  for (const double bad : kNonFiniteValues) {
    Tensor<double> x = kLayerNormX;
    x(1, 2) = bad;
    EXPECT_EQ(contract_message([&] { layer_norm(x, {}); }),
              "layer_norm: x has the element [1, 2] = " + std::to_string(bad) +
                  "; expected finite values (C4)");
  }
}

TEST(LayerNorm, C7_RejectsGradYThatIsNotFinite) {
  const auto saved = layer_norm(kLayerNormX, {}).saved;
  for (const double bad : kNonFiniteValues) {
    Tensor<double> grad_y = kLayerNormX;
    grad_y(1, 2) = bad;
    EXPECT_EQ(contract_message([&] { layer_norm_backward(grad_y, kLayerNormX, {}, saved); }),
              "layer_norm_backward: grad_y has the element [1, 2] = " + std::to_string(bad) +
                  "; expected finite values (C7)");
  }
}

TEST(LayerNorm, HugeValuesAreNormalizedOrRejected) {
  const Tensor<double> large = {{1e150, -1e150}};
  EXPECT_BITS_EQ(layer_norm(large, {}).y, (Tensor<double>{{1, -1}}));
  const Tensor<double> too_large = {{1e200, -1e200}};
  EXPECT_EQ(contract_message([&] { layer_norm(too_large, {}); }),
            "layer_norm: x makes rstd at [0] vanish; expected values so small that sums of their "
            "squares stay finite (C4)");
  const Tensor<double> sum_overflows = {{1.5e308, 1.5e308}};
  EXPECT_EQ(contract_message([&] { layer_norm(sum_overflows, {}); }),
            "layer_norm: x makes mean at [0] = inf; expected values so small that sums of their "
            "squares stay finite, and eps > 0 where they vanish (C4)");
}

// Each test below violates one requirement of the contract.
NORMPROOF_REJECTS(LayerNorm, C3_RejectsBetaOfWrongExtent, kBetaOfWrongExtent);
NORMPROOF_REJECTS(LayerNorm, C4_RejectsNanInGamma, kNanInGamma);
NORMPROOF_REJECTS(LayerNorm, C4_RejectsOverflowingStatistics, kHugeX);
NORMPROOF_REJECTS(LayerNorm, C6_RejectsSavedMeanOfWrongExtent,
                  saved_statistic_of_wrong_extent("mean"));

TEST(LayerNorm, C14_RejectsZeroCenteredGamma) {
  EXPECT_EQ(contract_message(
                [] { layer_norm(kLayerNormX, kLayerNormAffine, {.zero_centred_gamma = true}); }),
            "layer_norm: zero_centred_gamma is true; expected false, and 1 + gamma in place of "
            "gamma, or norm_step, which adds it (C14)");
}

}  // namespace
}  // namespace normproof::ref::norm
