#include "tests/ref/nn/gradient_check.hpp"

#include <gtest/gtest-spi.h>

namespace normproof::ref::nn {
namespace {

/// Checks y = x^3 with a backward that is wrong by the factor 1 + 2^exponent, in every element or
/// only in the last one. Returns how many checks fail.
int failures_at(int exponent, bool in_one = false) {
  NamedTensors<double> inputs;
  inputs.set("x", random_tensor<double>("x", {2, 3}));
  ::testing::TestPartResultArray results;
  {
    const ::testing::ScopedFakeTestPartResultReporter reporter(
        ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results);
    expect_gradients(
        inputs, random_tensor<double>("grad_y", {2, 3}),
        []<class T>(const NamedTensors<T>& t) {
          Tensor<T> y = t.at("x");
          for (T& v : y) v = v * v * v;
          return y;
        },
        [=]<class T>(const NamedTensors<T>& t, const Tensor<T>& grad_y) {
          NamedTensors<T> gradients;
          Tensor<T> grad_x = t.at("x");
          T wrong(1);
          for (int i = 0; i < -exponent; ++i) wrong = wrong / T(2);
          for (std::size_t i = 0; i < grad_x.size(); ++i) {
            T& v = grad_x.data()[i];
            v = T(3) * v * v * grad_y.data()[i];
            if (!in_one || i + 1 == grad_x.size()) v = v * (T(1) + wrong);
          }
          gradients.set("x", std::move(grad_x));
          return gradients;
        },
        "cube");
  }
  return results.size();
}

TEST(GradientCheck, DetectsAnErrorInTheLastDigitsByBothMethods) {
  EXPECT_EQ(failures_at(-std::numeric_limits<oracle50>::digits), 0);
  EXPECT_EQ(failures_at(-140), 2);
  EXPECT_EQ(failures_at(-1), 2);
  EXPECT_EQ(failures_at(-140, true), 2);
}

}  // namespace
}  // namespace normproof::ref::nn
