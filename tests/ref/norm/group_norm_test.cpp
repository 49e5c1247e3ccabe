#include "ref/norm/group_norm.hpp"

#include <gtest/gtest.h>

#include "ref/norm/layer_norm.hpp"
#include "ref/numeric/random.hpp"
#include "tests/ref/norm/broken_layer.hpp"
#include "tests/ref/norm/messages.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::ref::norm {
namespace {

// In sample 0, the elements of group 0 are {0, 2, 2, 0} and those of group 1 are {10, 14, 14, 10}.
const Tensor<double> kGroupNormX = {{{0, 2, 10, 14}, {2, 0, 14, 10}}};

TEST(GroupNorm, MatchesHandComputedValues) {
  const auto forward =
      group_norm(kGroupNormX, {{1, 1, 1, 2}, {0, 0, 0, 1}}, {}, {.eps = 0, .groups = 2});
  EXPECT_BITS_EQ(forward.saved.mean, (Tensor<double>{{1, 12}}));
  EXPECT_BITS_EQ(forward.saved.rstd, (Tensor<double>{{1, 0.5}}));
  EXPECT_BITS_EQ(forward.y, (Tensor<double>{{{-1, 1, -1, 3}, {1, -1, 1, -1}}}));
  const auto gradients = group_norm_backward({{{4, 0, 0, 0}, {0, 0, 0, 0}}}, kGroupNormX, {}, {},
                                             forward.saved, {.groups = 2});
  EXPECT_BITS_EQ(gradients.grad_x, (Tensor<double>{{{2, 0, 0, 0}, {0, -2, 0, 0}}}));
}

TEST(GroupNorm, EqualsLayerNormForOneTokenAndOneGroup) {
  const numeric::RandomStream random(4, "group norm");
  Tensor<double> x = tensor::empty_tensor<double>({6, 37});
  Tensor<double> grad_y = x;
  for (std::size_t i = 0; i < x.size(); ++i) {
    x.data()[i] = random.normal(2 * i);
    grad_y.data()[i] = random.normal(2 * i + 1);
  }
  const auto group = group_norm(x, {}, {});
  const auto layer = layer_norm(x, {});
  EXPECT_BITS_EQ(group.y, layer.y);
  const auto group_gradients = group_norm_backward(grad_y, x, {}, {}, group.saved);
  const auto layer_gradients = layer_norm_backward(grad_y, x, {}, layer.saved);
  EXPECT_BITS_EQ(group_gradients.grad_gamma, layer_gradients.grad_gamma);
  EXPECT_BITS_EQ(group_gradients.grad_beta, layer_gradients.grad_beta);
}

TEST(GroupNorm, PaddingDoesNotChangeTheStatistics) {
  const Tensor<double> padded = {{{0, 2, 10, 14}, {1e9, 7, 7, 7}, {2, 0, 14, 10}}};
  const Mask valid = {{true, false, true}};
  const auto with = group_norm(padded, {}, valid, {.groups = 2});
  const auto without = group_norm(kGroupNormX, {}, {}, {.groups = 2});
  EXPECT_BITS_EQ(with.saved.mean, without.saved.mean);
  EXPECT_BITS_EQ(with.saved.rstd, without.saved.rstd);
}

TEST(GroupNorm, RejectsASampleWithoutAValidToken) {
  const Tensor<double> x = tensor::full_tensor<double>({2, 2, 2}, 1.0);
  const Mask valid = {{true, false}, {false, false}};
  EXPECT_EQ(contract_message([&] { group_norm(x, {}, valid); }),
            "group_norm: valid has no valid token in sample 1; expected at least one valid token "
            "in each sample (C8)");
}

// Each test below violates one requirement of the contract.
NORMPROOF_REJECTS(GroupNorm, C1_RejectsAnEmptyX, kEmptyX);
NORMPROOF_REJECTS(GroupNorm, C2_RejectsNegativeEps, wrong_option("eps", "-1"));
NORMPROOF_REJECTS(GroupNorm, C2_RejectsAllZerosWithoutEps, kZerosWithoutEps);
NORMPROOF_REJECTS(GroupNorm, C3_RejectsGammaOfWrongExtent, kGammaOfWrongExtent);
NORMPROOF_REJECTS(GroupNorm, C3_RejectsBetaOfWrongExtent, kBetaOfWrongExtent);
NORMPROOF_REJECTS(GroupNorm, C4_RejectsAnInfiniteElement, kInfiniteX);
NORMPROOF_REJECTS(GroupNorm, C4_RejectsNanInGamma, kNanInGamma);
NORMPROOF_REJECTS(GroupNorm, C4_RejectsOverflowingStatistics, kHugeX);
NORMPROOF_REJECTS(GroupNorm, C5_RejectsGradYOfWrongShape, kGradYOfWrongShape);
NORMPROOF_REJECTS(GroupNorm, C6_RejectsSavedMeanOfWrongExtent,
                  saved_statistic_of_wrong_extent("mean"));
NORMPROOF_REJECTS(GroupNorm, C6_RejectsSavedRstdOfWrongExtent,
                  saved_statistic_of_wrong_extent("rstd"));
NORMPROOF_REJECTS(GroupNorm, C7_RejectsInfiniteGradY, kInfiniteGradY);
NORMPROOF_REJECTS(GroupNorm, C8_RejectsMaskWithoutValidRow, kNoValidRow);
NORMPROOF_REJECTS(GroupNorm, C8_RejectsMaskOfWrongShape, kMaskOfWrongShape);
NORMPROOF_REJECTS(GroupNorm, C11_RejectsGroupsThatDoNotDivideD, wrong_option("groups", "3"));
NORMPROOF_REJECTS(GroupNorm, C11_RejectsZeroGroups, wrong_option("groups", "0"));

TEST(GroupNorm, C13_RejectsLayoutsOtherThanRows) {
  const Tensor<double> x = {{1, 2}, {3, 4}};
  const model::GroupNormOptions options{.layout = model::Layout::channels_last};
  const char* const message = "group_norm: layout is not rows; expected rows (C13)";
  EXPECT_EQ(contract_message([&] { group_norm(x, {}, {}, options); }), message);
  const auto saved = group_norm(x, {}, {}).saved;
  EXPECT_EQ(contract_message([&] { group_norm_backward(x, x, {}, {}, saved, options); }), message);
}

}  // namespace
}  // namespace normproof::ref::norm
