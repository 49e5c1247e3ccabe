#include "ref/norm/group_scaling.hpp"

#include <gtest/gtest.h>

#include "ref/norm/rms_norm.hpp"
#include "ref/numeric/random.hpp"
#include "tests/ref/norm/broken_layer.hpp"
#include "tests/ref/norm/messages.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::ref::norm {
namespace {

TEST(GroupScaling, MatchesHandComputedValues) {
  const Tensor<double> x = {{2, -2, 0.5, 0.5}};
  const auto forward = group_scaling(x, {.eps = 0, .groups = 2});
  EXPECT_BITS_EQ(forward.rstd, (Tensor<double>{{0.5, 2}}));
  EXPECT_BITS_EQ(forward.y, (Tensor<double>{{1, -1, 1, 1}}));
  const auto grad_x =
      group_scaling_backward({{4, 0, 0, 2}}, x, forward.rstd, {.eps = 0, .groups = 2});
  // c = (2, 1): (4 - 1*2)/2, (0 + 1*2)/2, (0 - 1*1)*2, (2 - 1*1)*2.
  EXPECT_BITS_EQ(grad_x, (Tensor<double>{{1, 1, -2, 2}}));
}

TEST(GroupScaling, EqualsRMSNormWithoutParametersForOneGroup) {
  const numeric::RandomStream random(9, "group");
  Tensor<double> x = tensor::empty_tensor<double>({5, 7});
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = random.normal(i);
  EXPECT_BITS_EQ(group_scaling(x).y, rms_norm(x, {}).y);
}

TEST(GroupScaling, C11_RejectsGroupsThatDoNotDivideD) {
  const Tensor<double> x = {{1, 2, 3, 4}};
  for (const std::int64_t groups : {0, -1, 3, 5}) {
    EXPECT_EQ(contract_message([&] { group_scaling(x, {.groups = groups}); }),
              "group_scaling: groups is " + std::to_string(groups) +
                  "; expected a divisor of D = 4 (C11)");
  }
}

// Each test below violates one requirement of the contract.
NORMPROOF_REJECTS(GroupScaling, C1_RejectsAnEmptyX, kEmptyX);
NORMPROOF_REJECTS(GroupScaling, C2_RejectsNegativeEps, wrong_option("eps", "-1"));
NORMPROOF_REJECTS(GroupScaling, C2_RejectsAllZerosWithoutEps, kZerosWithoutEps);
NORMPROOF_REJECTS(GroupScaling, C4_RejectsAnInfiniteElement, kInfiniteX);
NORMPROOF_REJECTS(GroupScaling, C4_RejectsOverflowingStatistics, kHugeX);
NORMPROOF_REJECTS(GroupScaling, C5_RejectsGradYOfWrongShape, kGradYOfWrongShape);
NORMPROOF_REJECTS(GroupScaling, C6_RejectsSavedRstdOfWrongExtent,
                  saved_statistic_of_wrong_extent("rstd"));
NORMPROOF_REJECTS(GroupScaling, C7_RejectsInfiniteGradY, kInfiniteGradY);

}  // namespace
}  // namespace normproof::ref::norm
