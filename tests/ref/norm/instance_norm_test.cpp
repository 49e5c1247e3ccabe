#include "ref/norm/instance_norm.hpp"

#include <gtest/gtest.h>

#include "ref/norm/batch_norm.hpp"
#include "ref/numeric/random.hpp"
#include "tests/ref/norm/broken_layer.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::ref::norm {
namespace {

TEST(InstanceNorm, MatchesHandComputedValues) {
  const Tensor<double> x = {{{0, 10}, {2, 14}}, {{5, 0}, {5, 4}}};
  const auto forward = instance_norm(x, {{1, 2}, {0, 1}}, {}, {.eps = 1});
  EXPECT_BITS_EQ(forward.saved.mean, (Tensor<double>{{1, 12}, {5, 2}}));
  EXPECT_BITS_EQ(forward.saved.rstd(1, 0), 1.0);
  EXPECT_BITS_EQ(forward.y(1, 0, 0), 0.0);
}

TEST(InstanceNorm, EqualsBatchNormForOneSample) {
  const numeric::RandomStream random(4, "instance norm");
  Tensor<double> x = tensor::empty_tensor<double>({1, 40, 3});
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = random.normal(i);
  const auto instance = instance_norm(x, {}, {});
  const auto batch = batch_norm(x, {}, {}, {{0, 0, 0}, {1, 1, 1}});
  EXPECT_BITS_EQ(instance.y, batch.y);
}

TEST(InstanceNorm, OneTokenPerSampleGivesBeta) {
  const Tensor<double> x = {{3, 4}, {5, 6}};
  EXPECT_BITS_EQ(instance_norm(x, {{1, 1}, {7, 8}}, {}).y, (Tensor<double>{{7, 8}, {7, 8}}));
}

/// Gives the call one sample of three tokens with a huge element. With a single token per sample,
/// the variance would be 0 and would not overflow.
const Fault kHugeTokenOfThree{"x", [](LayerCall& q) {
                                q.in.x.reshape({1, 3, 4});
                                q.in.grad_y.reshape({1, 3, 4});
                                q.in.valid = tensor::full_tensor<bool>({1, 3}, true);
                                q.in.x(0, 1, 2) = 1e200;
                              }};

// Each test below violates one requirement of the contract.
NORMPROOF_REJECTS(InstanceNorm, C1_RejectsAnEmptyX, kEmptyX);
NORMPROOF_REJECTS(InstanceNorm, C2_RejectsNegativeEps, wrong_option("eps", "-1"));
NORMPROOF_REJECTS(InstanceNorm, C2_RejectsAllZerosWithoutEps, kZerosWithoutEps);
NORMPROOF_REJECTS(InstanceNorm, C3_RejectsGammaOfWrongExtent, kGammaOfWrongExtent);
NORMPROOF_REJECTS(InstanceNorm, C3_RejectsBetaOfWrongExtent, kBetaOfWrongExtent);
NORMPROOF_REJECTS(InstanceNorm, C4_RejectsAnInfiniteElement, kInfiniteX);
NORMPROOF_REJECTS(InstanceNorm, C4_RejectsNanInGamma, kNanInGamma);
NORMPROOF_REJECTS(InstanceNorm, C4_RejectsOverflowingStatistics, kHugeTokenOfThree);
NORMPROOF_REJECTS(InstanceNorm, C5_RejectsGradYOfWrongShape, kGradYOfWrongShape);
NORMPROOF_REJECTS(InstanceNorm, C6_RejectsSavedMeanOfWrongExtent,
                  saved_statistic_of_wrong_extent("mean"));
NORMPROOF_REJECTS(InstanceNorm, C6_RejectsSavedRstdOfWrongExtent,
                  saved_statistic_of_wrong_extent("rstd"));
NORMPROOF_REJECTS(InstanceNorm, C7_RejectsInfiniteGradY, kInfiniteGradY);
NORMPROOF_REJECTS(InstanceNorm, C8_RejectsMaskWithoutValidRow, kNoValidRow);
NORMPROOF_REJECTS(InstanceNorm, C8_RejectsMaskOfWrongShape, kMaskOfWrongShape);

}  // namespace
}  // namespace normproof::ref::norm
