#include "ref/norm/batch_renorm.hpp"

#include <gtest/gtest.h>

#include "tests/ref/norm/broken_layer.hpp"
#include "tests/ref/norm/messages.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::ref::norm {
namespace {

const Tensor<double> kBatchRenormX = {
    {0, 10}, {2, 10}, {0, 14}, {2, 14}};  // means 1, 12; standard deviations 1, 2

TEST(BatchRenorm, MatchesHandComputedValuesIfNothingIsClamped) {
  const auto forward =
      batch_renorm(kBatchRenormX, {}, {}, {{2, 8}, {4, 4}}, {.eps = 0, .running_decay = 0.5});
  EXPECT_BITS_EQ(forward.saved.r, (Tensor<double>{0.5, 1}));
  EXPECT_BITS_EQ(forward.saved.d, (Tensor<double>{-0.5, 2}));
  // If r and d are not clamped, y equals the output of inference with the running statistics.
  EXPECT_BITS_EQ(forward.y, (Tensor<double>{{-1, 1}, {0, 1}, {-1, 3}, {0, 3}}));
  EXPECT_BITS_EQ(forward.state.running_mean, (Tensor<double>{1.5, 10}));
  EXPECT_BITS_EQ(forward.state.running_variance, (Tensor<double>{2.5, 4}));
}

TEST(BatchRenorm, ClampsRAndDToTheirLimits) {
  const auto forward = batch_renorm(kBatchRenormX, {}, {}, {{101, -88}, {1, 0.0625}},
                                    {.eps = 0, .r_max = 2, .d_max = 3});
  EXPECT_BITS_EQ(forward.saved.r, (Tensor<double>{1, 2}));
  EXPECT_BITS_EQ(forward.saved.d, (Tensor<double>{-3, 3}));
}

TEST(BatchRenorm, EqualsBatchNormIfTheLimitsForceROneAndDZero) {
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

TEST(BatchRenorm, C13_RejectsRMaxBelowOne) {
  EXPECT_EQ(contract_message([] {
              batch_renorm(kBatchRenormX, {}, {}, {{0, 0}, {1, 1}}, {.r_max = 0.5});
            }),
            "batch_renorm: r_max is 0.5; expected r_max >= 1 (C13)");
}

TEST(BatchRenorm, C13_RejectsDMaxBelowZero) {
  EXPECT_EQ(contract_message([] {
              batch_renorm(kBatchRenormX, {}, {}, {{0, 0}, {1, 1}}, {.d_max = -1});
            }),
            "batch_renorm: d_max is -1; expected d_max >= 0 (C13)");
}

// Each test below violates one requirement of the contract.
NORMPROOF_REJECTS(BatchRenorm, C1_RejectsAnEmptyX, kEmptyX);
NORMPROOF_REJECTS(BatchRenorm, C2_RejectsNegativeEps, wrong_option("eps", "-1"));
NORMPROOF_REJECTS(BatchRenorm, C2_RejectsAllZerosWithoutEps, kZerosWithoutEps);
NORMPROOF_REJECTS(BatchRenorm, C3_RejectsGammaOfWrongExtent, kGammaOfWrongExtent);
NORMPROOF_REJECTS(BatchRenorm, C3_RejectsBetaOfWrongExtent, kBetaOfWrongExtent);
NORMPROOF_REJECTS(BatchRenorm, C4_RejectsAnInfiniteElement, kInfiniteX);
NORMPROOF_REJECTS(BatchRenorm, C4_RejectsNanInGamma, kNanInGamma);
NORMPROOF_REJECTS(BatchRenorm, C4_RejectsOverflowingStatistics, kHugeX);
NORMPROOF_REJECTS(BatchRenorm, C5_RejectsGradYOfWrongShape, kGradYOfWrongShape);
NORMPROOF_REJECTS(BatchRenorm, C6_RejectsSavedMeanOfWrongExtent,
                  saved_statistic_of_wrong_extent("mean"));
NORMPROOF_REJECTS(BatchRenorm, C6_RejectsSavedRstdOfWrongExtent,
                  saved_statistic_of_wrong_extent("rstd"));
NORMPROOF_REJECTS(BatchRenorm, C6_RejectsSavedROfWrongExtent, saved_statistic_of_wrong_extent("r"));
NORMPROOF_REJECTS(BatchRenorm, C6_RejectsSavedDOfWrongExtent, saved_statistic_of_wrong_extent("d"));
NORMPROOF_REJECTS(BatchRenorm, C7_RejectsInfiniteGradY, kInfiniteGradY);
NORMPROOF_REJECTS(BatchRenorm, C8_RejectsMaskWithoutValidRow, kNoValidRow);
NORMPROOF_REJECTS(BatchRenorm, C8_RejectsMaskOfWrongShape, kMaskOfWrongShape);
NORMPROOF_REJECTS(BatchRenorm, C9_RejectsRunningDecayAboveOne,
                  wrong_option("running_decay", "1.5"));
NORMPROOF_REJECTS(BatchRenorm, C10_RejectsRunningMeanOfWrongExtent,
                  state_of_wrong_extent("running_mean"));
NORMPROOF_REJECTS(BatchRenorm, C10_RejectsNanInRunningMean, state_with_nan("running_mean"));
NORMPROOF_REJECTS(BatchRenorm, C10_RejectsRunningVarianceOfWrongExtent,
                  state_of_wrong_extent("running_variance"));
NORMPROOF_REJECTS(BatchRenorm, C10_RejectsNanInRunningVariance, state_with_nan("running_variance"));
NORMPROOF_REJECTS(BatchRenorm, C10_RejectsNegativeRunningVariance,
                  state_with_negative("running_variance"));

}  // namespace
}  // namespace normproof::ref::norm
