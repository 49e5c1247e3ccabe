#include "verification/checks/statistics/channel_means.hpp"

#include <gtest/gtest.h>

namespace normproof::tests::verification::checks::statistics {
namespace {

using namespace normproof::verification::checks::statistics;
using normproof::ref::tensor::Mask;
using normproof::ref::tensor::Tensor;

/// Returns three rows of two channels, followed by a row of padding.
const Tensor<double>& rows() {
  static const Tensor<double> x = {{{-2, 2}, {4, 2}}, {{1, 2}, {1000, 1000}}};
  return x;
}
const Mask kThree = {{true, true}, {true, false}};

TEST(ChannelMeans, AverageOnlyValidRows) {
  EXPECT_EQ(channel_means(rows(), kThree), (Tensor<double>{1, 2}));
  EXPECT_EQ(channel_means(rows(), {}), (Tensor<double>{250.75, 251.5}));
}

TEST(ChannelMeans, MeanSquaresUseDeviationsFromTheGivenCenter) {
  EXPECT_EQ(channel_mean_squares(rows(), kThree), (Tensor<double>{7, 4}));
  EXPECT_EQ(channel_mean_squares(rows(), kThree, {1, 2}), (Tensor<double>{6, 0}));
}

}  // namespace
}  // namespace normproof::tests::verification::checks::statistics
