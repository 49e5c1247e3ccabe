#include "verification/studies/published/gradient_bound.hpp"

#include <gtest/gtest.h>

namespace normproof::verification::studies::published {
namespace {

using Channels = std::vector<double>;

/// Runs the gradient bound on a PowerNorm with two channels, constant gamma and rstd, and
/// alpha_backward = 0.5. In the bound's formula, rms(g) is 2 in each channel; rms(X') is 2 in the
/// first channel and 4 in the second.
class TwoChannelPowerNorm {
 public:
  GradientBound::ChannelMaxima step(const Channels& big_gamma,
                                    const Channels& grad_y_squared = {1, 4}) {
    return bound_.add({gamma_, big_gamma, rstd_, grad_x_squared_, grad_y_squared}, 0.5);
  }

 private:
  GradientBound bound_;
  Channels gamma_ = {2, -1}, rstd_ = {0.5, 0.25}, grad_x_squared_ = {1, 1};
};

TEST(PowerNormGradientBound, UsesTheMaximumGradientAndTheMinimumGamma) {
  TwoChannelPowerNorm two;
  const auto first = two.step({1, 1});
  EXPECT_EQ(first.channels, 2);
  EXPECT_EQ(first.seen, 4);
  EXPECT_EQ(first.bound, 4);  // 2 (1 + sqrt(1 / 1))
  EXPECT_EQ(first.share, 1);
  EXPECT_EQ(two.step({0.25, 1}).bound, 4);  // 2 (1 + sqrt(0.25 / 0.25))
  // 2 (1 + sqrt(1 / 0.25)): rms(g) keeps its maximum 2
  EXPECT_EQ(two.step({1, 1}, {0.0625, 0.25}).bound, 6);
}

TEST(PowerNormGradientBound, ExcludesChannelsWithALargeOrZeroGamma) {
  TwoChannelPowerNorm two;
  EXPECT_EQ(two.step({1, 4}).channels, 2);  // (1 - alpha) Gamma = 2 affects only later steps
  EXPECT_EQ(two.step({1, 1}).channels, 1);
  const auto none = two.step({0, 1});
  EXPECT_EQ(none.channels, 0);
  EXPECT_EQ(none.bound, 0);
  EXPECT_EQ(none.seen, 0);
}

}  // namespace
}  // namespace normproof::verification::studies::published
