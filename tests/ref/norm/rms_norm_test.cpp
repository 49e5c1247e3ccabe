#include "ref/norm/rms_norm.hpp"

#include <gtest/gtest.h>

#include "tests/ref/norm/broken_layer.hpp"
#include "tests/ref/norm/messages.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::ref::norm {
namespace {

using model::CastOrder;
using model::StorageFormat;

TEST(RMSNorm, MatchesHandComputedValues) {
  const Tensor<double> x = {{2, -2, 2, 2}};
  const auto forward = rms_norm(x, {{1, 2, 3, 4}, {}}, {.eps = 0});
  EXPECT_BITS_EQ(forward.saved.rstd, (Tensor<double>{0.5}));
  EXPECT_BITS_EQ(forward.y, (Tensor<double>{{1, -2, 3, 4}}));
  // g = (4,0,0,0), c = 1: grad_x = (g - x_hat) / 2.
  const auto gradients = rms_norm_backward({{4, 0, 0, 0}}, x, {{1, 2, 3, 4}, {}}, forward.saved);
  EXPECT_BITS_EQ(gradients.grad_x, (Tensor<double>{{1.5, 0.5, -0.5, -0.5}}));
  EXPECT_BITS_EQ(gradients.grad_gamma, (Tensor<double>{4, 0, 0, 0}));
}

TEST(RMSNorm, CastsBeforeOrAfterGammaByCastOrder) {
  const Tensor<double> x = {{1, 3, -2, 0.1}};
  const Affine<double> affine{{1.1, 0.3, 0.7, 5}, {0.01, 0, 0, 0}};
  const auto exact = rms_norm(x, {});
  for (const auto storage :
       {StorageFormat::float32, StorageFormat::bfloat16, StorageFormat::float16}) {
    const auto after = rms_norm(x, affine, {1e-5, CastOrder::after_gamma, storage}).y;
    const auto before = rms_norm(x, affine, {1e-5, CastOrder::before_gamma, storage}).y;
    for (std::size_t i = 0; i < 4; ++i) {
      const double gamma = affine.gamma(i);
      const double x_hat = exact.y(0, i);
      EXPECT_BITS_EQ(after(0, i), round_to(storage, gamma * x_hat) + affine.beta(i));
      EXPECT_BITS_EQ(before(0, i), gamma * round_to(storage, x_hat) + affine.beta(i));
    }
    EXPECT_FALSE(after == before);
  }
  EXPECT_BITS_EQ(rms_norm(x, affine, {1e-5, CastOrder::before_gamma, StorageFormat::float64}).y,
                 rms_norm(x, affine).y);
}

TEST(RMSNorm, C12_RejectsCastsUnlessTheScalarIsDouble) {
  const auto x = tensor::full_tensor<numeric::oracle50>({1, 2}, 1.0);
  EXPECT_EQ(contract_message([&] {
              rms_norm(x, {}, {1e-5, CastOrder::after_gamma, StorageFormat::float32});
            }),
            "rms_norm: storage is not float64; expected float64 for every scalar but double (C12)");
}

// Each test below violates one requirement of the contract.
NORMPROOF_REJECTS(RMSNorm, C1_RejectsAnEmptyX, kEmptyX);
NORMPROOF_REJECTS(RMSNorm, C2_RejectsNegativeEps, wrong_option("eps", "-1"));
NORMPROOF_REJECTS(RMSNorm, C2_RejectsAllZerosWithoutEps, kZerosWithoutEps);
NORMPROOF_REJECTS(RMSNorm, C3_RejectsGammaOfWrongExtent, kGammaOfWrongExtent);
NORMPROOF_REJECTS(RMSNorm, C3_RejectsBetaOfWrongExtent, kBetaOfWrongExtent);
NORMPROOF_REJECTS(RMSNorm, C4_RejectsAnInfiniteElement, kInfiniteX);
NORMPROOF_REJECTS(RMSNorm, C4_RejectsNanInGamma, kNanInGamma);
NORMPROOF_REJECTS(RMSNorm, C4_RejectsOverflowingStatistics, kHugeX);
NORMPROOF_REJECTS(RMSNorm, C5_RejectsGradYOfWrongShape, kGradYOfWrongShape);
NORMPROOF_REJECTS(RMSNorm, C6_RejectsSavedRstdOfWrongExtent,
                  saved_statistic_of_wrong_extent("rstd"));
NORMPROOF_REJECTS(RMSNorm, C7_RejectsInfiniteGradY, kInfiniteGradY);

TEST(RMSNorm, C14_RejectsZeroCenteredGamma) {
  EXPECT_EQ(contract_message([] {
              rms_norm(Tensor<double>{{1, 2}}, {{0.5, 0}, {}}, {.zero_centred_gamma = true});
            }),
            "rms_norm: zero_centred_gamma is true; expected false, and 1 + gamma in place of "
            "gamma, or norm_step, which adds it (C14)");
}

}  // namespace
}  // namespace normproof::ref::norm
