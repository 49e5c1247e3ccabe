#include "ref/norm/batch_renorm.hpp"

#include <gtest/gtest.h>

#include "tests/ref/norm/broken_layer.hpp"
#include "tests/ref/norm/messages.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::ref::norm {
namespace {

const Tensor<double> kBatchRenormX = {
    {0, 10}, {2, 10}, {0, 14}, {2, 14}};  // mean 1, 12; deviation 1, 2

TEST(BatchRenorm, ByHandWithinTheLimits) {
  const auto forward =
      batch_renorm(kBatchRenormX, {}, {}, {{2, 8}, {4, 4}}, {.eps = 0, .running_decay = 0.5});
  EXPECT_BITS_EQ(forward.saved.r, (Tensor<double>{0.5, 1}));
  EXPECT_BITS_EQ(forward.saved.d, (Tensor<double>{-0.5, 2}));
  // Inside the limits the output is that of inference with the running statistics.
  EXPECT_BITS_EQ(forward.y, (Tensor<double>{{-1, 1}, {0, 1}, {-1, 3}, {0, 3}}));
  EXPECT_BITS_EQ(forward.state.running_mean, (Tensor<double>{1.5, 10}));
  EXPECT_BITS_EQ(forward.state.running_variance, (Tensor<double>{2.5, 4}));
}

TEST(BatchRenorm, RAndDAreClamped) {
  const auto forward = batch_renorm(kBatchRenormX, {}, {}, {{101, -88}, {1, 0.0625}},
                                    {.eps = 0, .r_max = 2, .d_max = 3});
  EXPECT_BITS_EQ(forward.saved.r, (Tensor<double>{1, 2}));
  EXPECT_BITS_EQ(forward.saved.d, (Tensor<double>{-3, 3}));
}

TEST(BatchRenorm, WithUnitLimitsItIsBatchNorm) {
  const model::BatchRenormOptions options{.r_max = 1, .d_max = 0};
  const Affine<double> affine{{2, 3}, {1, 0}};
  const auto renorm = batch_renorm(kBatchRenormX, affine, {}, {{5, 5}, {9, 9}}, options);
  const auto norm =
      batch_norm(kBatchRenormX, affine, {}, {{5, 5}, {9, 9}}, {.unbiased_running_variance = false});
  EXPECT_BITS_EQ(renorm.y, norm.y);
  EXPECT_BITS_EQ(renorm.state.running_variance, norm.state.running_variance);
  const Tensor<double> grad_y = {{4, 0}, {0, 0}, {0, 0}, {0, 1}};
  EXPECT_BITS_EQ(batch_renorm_backward(grad_y, kBatchRenormX, affine, {}, renorm.saved).grad_x,
                 batch_norm_backward(grad_y, kBatchRenormX, affine, {}, norm.saved).grad_x);
}

TEST(BatchRenorm, LimitsAreChecked) {
  EXPECT_EQ(contract_message([] {
              batch_renorm(kBatchRenormX, {}, {}, {{0, 0}, {1, 1}}, {.r_max = 0.5});
            }),
            "batch_renorm: r_max is 0.5; expected r_max >= 1 (C13)");
  EXPECT_EQ(contract_message([] {
              batch_renorm(kBatchRenormX, {}, {}, {{0, 0}, {1, 1}}, {.d_max = -1});
            }),
            "batch_renorm: d_max is -1; expected d_max >= 0 (C13)");
}

// The requirements of the contract, each broken alone.
NORMPROOF_REFUSES(BatchRenorm, C1AnExtentOfXIsZero, kEmptyX);
NORMPROOF_REFUSES(BatchRenorm, C2EpsIsBelowZero, wrong_option("eps", "-1"));
NORMPROOF_REFUSES(BatchRenorm, C2ZerosWithoutEps, kZerosWithoutEps);
NORMPROOF_REFUSES(BatchRenorm, C3GammaOfAnotherExtent, kLongerGamma);
NORMPROOF_REFUSES(BatchRenorm, C3BetaOfAnotherExtent, kLongerBeta);
NORMPROOF_REFUSES(BatchRenorm, C4AnElementIsInfinite, kInfiniteX);
NORMPROOF_REFUSES(BatchRenorm, C4GammaIsNan, kNanInGamma);
NORMPROOF_REFUSES(BatchRenorm, C4AStatisticOverflows, kHugeX);
NORMPROOF_REFUSES(BatchRenorm, C5GradYOfAnotherShape, kOtherGradY);
NORMPROOF_REFUSES(BatchRenorm, C6MeanOfAnotherExtent, longer_saved("mean"));
NORMPROOF_REFUSES(BatchRenorm, C6RstdOfAnotherExtent, longer_saved("rstd"));
NORMPROOF_REFUSES(BatchRenorm, C6ROfAnotherExtent, longer_saved("r"));
NORMPROOF_REFUSES(BatchRenorm, C6DOfAnotherExtent, longer_saved("d"));
NORMPROOF_REFUSES(BatchRenorm, C7GradYIsInfinite, kInfiniteGradY);
NORMPROOF_REFUSES(BatchRenorm, C8NoRowIsValid, kNoValidRow);
NORMPROOF_REFUSES(BatchRenorm, C8AMaskOfAnotherShape, kLongerMask);
NORMPROOF_REFUSES(BatchRenorm, C9RunningDecayAboveOne, wrong_option("running_decay", "1.5"));
NORMPROOF_REFUSES(BatchRenorm, C10RunningMeanOfAnotherExtent, longer_state("running_mean"));
NORMPROOF_REFUSES(BatchRenorm, C10RunningMeanIsNan, nan_in_state("running_mean"));
NORMPROOF_REFUSES(BatchRenorm, C10RunningVarianceOfAnotherExtent, longer_state("running_variance"));
NORMPROOF_REFUSES(BatchRenorm, C10RunningVarianceIsNan, nan_in_state("running_variance"));
NORMPROOF_REFUSES(BatchRenorm, C10RunningVarianceIsNegative, negative_state("running_variance"));
NORMPROOF_REFUSES(BatchRenorm, C13RMaxBelowOne, wrong_option("r_max", "0.5"));
NORMPROOF_REFUSES(BatchRenorm, C13DMaxBelowZero, wrong_option("d_max", "-1"));

}  // namespace
}  // namespace normproof::ref::norm
