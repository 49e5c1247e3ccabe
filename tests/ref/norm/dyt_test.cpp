#include "ref/norm/dyt.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/ref/norm/broken_layer.hpp"
#include "tests/ref/norm/messages.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::ref::norm {
namespace {

TEST(DyT, MatchesHandComputedValuesAtZeroAndInSaturation) {
  const Tensor<double> x = {{0, 100}, {-100, 0}}, alpha = {0.5};
  const Affine<double> affine{{2, 3}, {1, -1}};
  EXPECT_BITS_EQ(dyt(x, affine, alpha), (Tensor<double>{{1, 2}, {-1, -1}}));
  const auto gradients = dyt_backward({{5, 7}, {11, 13}}, x, affine, alpha);
  EXPECT_BITS_EQ(gradients.grad_x, (Tensor<double>{{5, 0}, {0, 19.5}}));
  EXPECT_BITS_EQ(gradients.grad_gamma, (Tensor<double>{-11, 7}));
  EXPECT_BITS_EQ(gradients.grad_beta, (Tensor<double>{16, 20}));
  EXPECT_BITS_EQ(gradients.grad_alpha, (Tensor<double>{0}));
}

TEST(DyT, OnlyAlphaHasAGradientWhenAlphaIsZero) {
  const Tensor<double> x = {{1, 2}, {3, 4}}, alpha = {0};
  const Affine<double> affine{{2, -1}, {}};
  EXPECT_BITS_EQ(dyt(x, affine, alpha), (Tensor<double>{{0, 0}, {0, 0}}));
  const auto gradients = dyt_backward({{1, 5}, {3, -2}}, x, affine, alpha);
  EXPECT_BITS_EQ(gradients.grad_x, (Tensor<double>{{0, -0.0}, {0, 0}}));
  EXPECT_BITS_EQ(gradients.grad_gamma, (Tensor<double>{0, 0}));
  EXPECT_BITS_EQ(gradients.grad_alpha, (Tensor<double>{2 * 1 - 5 * 2 + 6 * 3 + 2 * 4}));
}

TEST(DyT, AbsentAlphaDefaultsToAlpha0) {
  const Tensor<double> x = {{0.5, -2, 1}};
  EXPECT_BITS_EQ(dyt(x, {}, {}, {.alpha0 = 0.25}), dyt<double>(x, {}, {0.25}));
  EXPECT_BITS_EQ(dyt(x, {}, {}), dyt<double>(x, {}, {0.5}));
  EXPECT_BITS_EQ(dyt(x, {}, {0.25}, {.alpha0 = 7}), dyt<double>(x, {}, {0.25}));
  EXPECT_BITS_EQ(dyt_backward(x, x, {}, {}, {.alpha0 = 0.25}).grad_x,
                 dyt_backward<double>(x, x, {}, {0.25}).grad_x);
}

TEST(DyT, OverflowOfAlphaTimesXSaturatesTheTanh) {
  const Tensor<double> x = {{1e200, -1e200}}, alpha = {1e200};
  EXPECT_BITS_EQ(dyt(x, {{3, 4}, {}}, alpha), (Tensor<double>{{3, -4}}));
  const auto gradients = dyt_backward({{1e200, 1}}, x, {}, alpha);
  EXPECT_BITS_EQ(gradients.grad_x, (Tensor<double>{{0, 0}}));
  EXPECT_BITS_EQ(gradients.grad_alpha, (Tensor<double>{0}));
}

TEST(DyT, AnElementAffectsOnlyItsOwnOutput) {
  Tensor<double> x = {{0.5, -2, 1}, {3, 0.25, -1}};
  const Tensor<double> before = dyt(x, {}, {});
  x(1, 1) = 40;
  const Tensor<double> after = dyt(x, {}, {});
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_EQ(after.data()[i] != before.data()[i], i == 4) << i;
}

// Each test below violates one requirement of the contract.
const Fault kInfiniteAlpha0{
    "alpha0", [](LayerCall& q) {
      q.options = model::DyTOptions{.alpha0 = std::numeric_limits<double>::infinity()};
    }};
const Fault kAlphaOfWrongExtent{
    "alpha", [](LayerCall& q) { q.in.others.set("alpha", tensor::full_tensor<double>({2}, 1)); }};
const Fault kNanInAlpha{"alpha", [](LayerCall& q) {
                          q.in.others.at("alpha").data()[0] =
                              std::numeric_limits<double>::quiet_NaN();
                        }};
const Fault kHugeGradY{
    "grad_y", [](LayerCall& q) {
      q.in.grad_y = tensor::full_tensor<double>({3, 4}, std::numeric_limits<double>::max());
    }};
NORMPROOF_REJECTS(DyT, C1_RejectsAnEmptyX, kEmptyX);
NORMPROOF_REJECTS(DyT, C2_RejectsInfiniteAlpha0, kInfiniteAlpha0);
NORMPROOF_REJECTS(DyT, C3_RejectsGammaOfWrongExtent, kGammaOfWrongExtent);
NORMPROOF_REJECTS(DyT, C3_RejectsBetaOfWrongExtent, kBetaOfWrongExtent);
NORMPROOF_REJECTS(DyT, C3_RejectsAlphaOfWrongExtent, kAlphaOfWrongExtent);
NORMPROOF_REJECTS(DyT, C4_RejectsAnInfiniteElement, kInfiniteX);
NORMPROOF_REJECTS(DyT, C4_RejectsNanInGamma, kNanInGamma);
NORMPROOF_REJECTS(DyT, C4_RejectsNanInAlpha, kNanInAlpha);
NORMPROOF_REJECTS(DyT, C5_RejectsGradYOfWrongShape, kGradYOfWrongShape);
NORMPROOF_REJECTS(DyT, C7_RejectsInfiniteGradY, kInfiniteGradY);
NORMPROOF_REJECTS(DyT, C7_RejectsOverflowingSums, kHugeGradY);

}  // namespace
}  // namespace normproof::ref::norm
