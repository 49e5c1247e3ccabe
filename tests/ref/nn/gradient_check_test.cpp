#include "tests/ref/nn/gradient_check.hpp"

#include <gtest/gtest-spi.h>

namespace normproof::ref::nn {
namespace {

/// Checks the gradient of `y = x^3` with a backward that multiplies every element, or only the last
/// one if `in_one` is true, by the wrong factor `1 + 2^exponent`. Returns the number of failed
/// checks.
int count_failed_checks(int exponent, bool in_one = false) {
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
          T wrong_factor(1);
          for (int i = 0; i < -exponent; ++i) wrong_factor = wrong_factor / T(2);
          for (std::size_t i = 0; i < grad_x.size(); ++i) {
            T& v = grad_x.data()[i];
            v = T(3) * v * v * grad_y.data()[i];
            if (!in_one || i + 1 == grad_x.size()) v = v * (T(1) + wrong_factor);
          }
          gradients.set("x", std::move(grad_x));
          return gradients;
        },
        "cube");
  }
  return results.size();
}

TEST(GradientCheck, BothMethodsDetectAnErrorInTheLastDigits) {
  EXPECT_EQ(count_failed_checks(-std::numeric_limits<oracle50>::digits), 0);
  EXPECT_EQ(count_failed_checks(-140), 2);
  EXPECT_EQ(count_failed_checks(-1), 2);
  EXPECT_EQ(count_failed_checks(-140, true), 2);
}

}  // namespace
}  // namespace normproof::ref::nn
