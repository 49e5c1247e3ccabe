#include "ref/norm/scale_norm.hpp"

#include <gtest/gtest.h>

#include "tests/ref/norm/broken_layer.hpp"
#include "tests/ref/norm/messages.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::ref::norm {
namespace {

TEST(ScaleNorm, MatchesHandComputedValues) {
  const Tensor<double> x = {{4, 0, 0}, {0, 0, -0.5}};
  const auto forward = scale_norm(x, {3}, {.eps = 0});
  EXPECT_BITS_EQ(forward.rnorm, (Tensor<double>{0.25, 2}));
  EXPECT_BITS_EQ(forward.y, (Tensor<double>{{3, 0, 0}, {0, 0, -3}}));
  const auto gradients = scale_norm_backward({{8, 1, 2}, {1, 0, 5}}, x, {3}, forward.rnorm);
  EXPECT_BITS_EQ(gradients.grad_x, (Tensor<double>{{0, 0.75, 1.5}, {6, 0, 0}}));
  EXPECT_BITS_EQ(gradients.grad_gamma, (Tensor<double>{8 - 5}));
}

TEST(ScaleNorm, C3_RejectsGammaOfWrongExtent) {
  EXPECT_EQ(contract_message([] {
              scale_norm<double>({{1, 2}}, {1, 2});
            }),
            "scale_norm: gamma has shape [2]; expected shape [1] (C3)");
  EXPECT_BITS_EQ(scale_norm<double>({{1, 2}}, {}).y, scale_norm<double>({{1, 2}}, {1}).y);
}

// Each test below violates one requirement of the contract.
NORMPROOF_REJECTS(ScaleNorm, C1_RejectsAnEmptyX, kEmptyX);
NORMPROOF_REJECTS(ScaleNorm, C2_RejectsNegativeEps, wrong_option("eps", "-1"));
NORMPROOF_REJECTS(ScaleNorm, C2_RejectsAllZerosWithoutEps, kZerosWithoutEps);
NORMPROOF_REJECTS(ScaleNorm, C4_RejectsAnInfiniteElement, kInfiniteX);
NORMPROOF_REJECTS(ScaleNorm, C4_RejectsNanInGamma, kNanInGamma);
NORMPROOF_REJECTS(ScaleNorm, C4_RejectsOverflowingStatistics, kHugeX);
NORMPROOF_REJECTS(ScaleNorm, C5_RejectsGradYOfWrongShape, kGradYOfWrongShape);
NORMPROOF_REJECTS(ScaleNorm, C6_RejectsSavedRnormOfWrongExtent,
                  saved_statistic_of_wrong_extent("rnorm"));
NORMPROOF_REJECTS(ScaleNorm, C7_RejectsInfiniteGradY, kInfiniteGradY);

}  // namespace
}  // namespace normproof::ref::norm
