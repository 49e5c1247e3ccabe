#include "verification/statistics/fluctuation.hpp"

#include <gtest/gtest.h>

#include "ref/numeric/errors.hpp"

namespace normproof::tests::verification::statistics {
namespace {

using namespace normproof::verification::statistics;
using normproof::ref::tensor::Tensor;

TEST(Fluctuation, IsTheEuclideanDistanceByTheNumberOfChannels) {
  const Tensor<double> batch = {4, 5, 1, 1};
  const Tensor<double> running = {1, 1, 1, 1};
  const Tensor<double> scale = {0, 6, 8, 0};
  const Fluctuation result = fluctuation(batch, running, scale);
  EXPECT_EQ(result.absolute, 1.25);  // 5 / 4
  EXPECT_EQ(result.relative, 0.5);   // 5 / 10
  EXPECT_EQ(euclidean_norm(scale), 10);
}

TEST(Fluctuation, IsZeroWhereNothingMovesEvenIfTheScaleIsZero) {
  const Tensor<double> zero = {0, 0};
  const Fluctuation result = fluctuation(zero, zero, zero);
  EXPECT_EQ(result.absolute, 0);
  EXPECT_EQ(result.relative, 0);
}

TEST(Fluctuation, RefusesDifferentShapes) {
  const Tensor<double> two = {1, 2};
  const Tensor<double> three = {1, 2, 3};
  EXPECT_THROW(fluctuation(two, three, two), normproof::ref::numeric::ContractError);
  EXPECT_THROW(fluctuation(two, two, three), normproof::ref::numeric::ContractError);
}

}  // namespace
}  // namespace normproof::tests::verification::statistics
