#include "verification/checks/evaluation/stacked.hpp"

#include <gtest/gtest.h>

namespace normproof::tests::verification::checks::evaluation {
namespace {

using normproof::ref::tensor::NamedTensors;
using normproof::ref::tensor::Tensor;
using normproof::verification::checks::evaluation::store_step;

TEST(StoreStep, AppendsEachStepToTheStack) {
  NamedTensors<double> stack;
  const Tensor<double> first{{1, 2, 3}}, second{{4, 5, 6}};
  store_step(stack, "y", first, 0, 2);
  store_step(stack, "y", second, 1, 2);
  EXPECT_EQ(stack.at("y"), (Tensor<double>{{{1, 2, 3}}, {{4, 5, 6}}}));
}

}  // namespace
}  // namespace normproof::tests::verification::checks::evaluation
