#include "verification/checks/statistics/fluctuation.hpp"

#include <gtest/gtest.h>

#include "tests/ref/numeric/error_message.hpp"

namespace normproof::tests::verification::checks::statistics {
namespace {

using namespace normproof::verification::checks::statistics;
using normproof::ref::tensor::Tensor;

TEST(Fluctuation, IsTheEuclideanDistanceOverTheNumberOfChannels) {
  const Tensor<double> batch = {4, 5, 1, 1};
  const Tensor<double> running = {1, 1, 1, 1};
  const Tensor<double> scale = {0, 6, 8, 0};
  const Fluctuation result = fluctuation(batch, running, scale);
  EXPECT_EQ(result.absolute, 1.25);  // 5 / 4
  EXPECT_EQ(result.relative, 0.5);   // 5 / 10
  EXPECT_EQ(euclidean_norm(scale), 10);
  EXPECT_EQ(channel_square_roots({4, 0.25}), (Tensor<double>{2, 0.5}));
}

TEST(Fluctuation, IsZeroForEqualStatisticsEvenIfTheScaleIsZero) {
  const Tensor<double> zero = {0, 0};
  const Fluctuation result = fluctuation(zero, zero, zero);
  EXPECT_EQ(result.absolute, 0);
  EXPECT_EQ(result.relative, 0);
}

TEST(Fluctuation, C1_RejectsDifferentShapes) {
  const Tensor<double> two = {1, 2};
  const Tensor<double> three = {1, 2, 3};
  const auto refusal = [](const Tensor<double>& batch, const Tensor<double>& running,
                          const Tensor<double>& scale) {
    return normproof::ref::numeric::contract_message([&] { fluctuation(batch, running, scale); });
  };
  EXPECT_EQ(refusal(two, three, two),
            "fluctuation: running has shape [3]; expected shape [2] (C1)");
  EXPECT_EQ(refusal(two, two, three), "fluctuation: scale has shape [3]; expected shape [2] (C1)");
}

}  // namespace
}  // namespace normproof::tests::verification::checks::statistics
