#include "ref/ops/softmax.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "tests/ref/numeric/special_values.hpp"
#include "tests/ref/ops/lenses.hpp"

namespace normproof::ref::ops {
namespace {

using numeric::kInfinity;
using numeric::kNaN;

const Tensor<double> kTwoRows = {{1, 2, 3}, {4, 5, 6}};
const Tensor<double> kHuge = {{1.5e308, 1.5e308}};

TEST(SoftmaxContract, C1_RejectsXWithoutAxesOrWithZeroExtents) {
  EXPECT_EQ(contract_message([] {
              softmax(Tensor<double>::from_shape({2, 0}));
            }),
            "softmax: x has shape [2, 0]; expected [..., D] with every extent at least 1 (C1)");
  EXPECT_EQ(contract_message([] { log_softmax(tensor::full_tensor<double>({}, 1.0)); }),
            "log_softmax: x has shape []; expected [..., D] with every extent at least 1 (C1)");
}

TEST(SoftmaxContract, C3_RejectsMaskThatDoesNotFitX) {
  for (const Shape& wrong : {Shape{2}, Shape{2, 1}, Shape{3, 3}, Shape{1, 2, 3}})
    EXPECT_EQ(
        contract_message([&] { softmax(kTwoRows, tensor::full_tensor<bool>(wrong, true)); }),
        "softmax: valid has shape " + tensor::to_string(wrong) +
            "; expected last extent 3 and leading extents that are 1 or those of [2, 3] (C3)");
}

TEST(SoftmaxContract, C4_RejectsGradYOfWrongShape) {
  EXPECT_EQ(contract_message([&] {
              softmax_backward(Tensor<double>{1, 2}, kTwoRows);
            }),
            "softmax_backward: grad_y has shape [2]; expected shape [2, 3] (C4)");
  EXPECT_EQ(contract_message([&] { log_sum_exp_backward(kTwoRows, kTwoRows); }),
            "log_sum_exp_backward: grad_y has shape [2, 3]; expected shape [2] (C4)");
}

TEST(SoftmaxContract, C6_RejectsARowWithoutElements) {
  EXPECT_EQ(contract_message([&] {
              log_sum_exp(kTwoRows, {{true, true, true}, {false, false, false}});
            }),
            "log_sum_exp: valid lets no element of row [1] take part; expected one at least (C6)");
}

TEST(SoftmaxContract, C5_RejectsOverflowOfTheSum) {
  EXPECT_EQ(contract_message([&] {
              softmax_backward(kHuge, Tensor<double>{{1, 1}});
            }),
            "softmax_backward: grad_y makes the sum of grad_y y at row [0] overflow; expected "
            "values so small that the sum stays finite (C5)");
  EXPECT_EQ(contract_message([&] {
              log_softmax_backward(kHuge, Tensor<double>{{0, 0}});
            }),
            "log_softmax_backward: grad_y makes the sum of grad_y at row [0] overflow; expected "
            "values so small that the sum stays finite (C5)");
}

TEST(SoftmaxContract, C2_RejectsNonFiniteElements) {
  const Tensor<double> good = random_tensor({9, 40}, "finite");
  const Tensor<double> good_rows = random_tensor({9}, "finite");
  for (const int threads : {1, 5}) {
    numeric::set_num_threads(threads);
    for (const double bad : {kInfinity, -kInfinity, kNaN}) {
      Tensor<double> x = good;
      x(7, 39) = bad;
      x(4, 33) = bad;
      const auto message = [&](const std::string& function, const std::string& argument) {
        return function + ": " + argument + " has the element [4, 33] = " + to_text(bad) +
               "; expected finite values where valid is true (C2)";
      };
      EXPECT_EQ(contract_message([&] { softmax(x); }), message("softmax", "x"));
      EXPECT_EQ(contract_message([&] { log_softmax(x); }), message("log_softmax", "x"));
      EXPECT_EQ(contract_message([&] { log_sum_exp(x); }), message("log_sum_exp", "x"));
      EXPECT_EQ(contract_message([&] { log_sum_exp_backward(good_rows, x); }),
                message("log_sum_exp_backward", "x"));
      EXPECT_EQ(contract_message([&] { softmax_backward(x, good); }),
                message("softmax_backward", "grad_y"));
      EXPECT_EQ(contract_message([&] { softmax_backward(good, x); }),
                message("softmax_backward", "y"));
      EXPECT_EQ(contract_message([&] { log_softmax_backward(x, good); }),
                message("log_softmax_backward", "grad_y"));
      EXPECT_EQ(contract_message([&] { log_softmax_backward(good, x); }),
                message("log_softmax_backward", "y"));
    }
  }
  Tensor<numeric::ball> balls = convert_elements<numeric::ball>(good);
  balls(0, 1) = numeric::ball(kNaN);
  EXPECT_THROW(softmax(balls), numeric::ContractError);
}

}  // namespace
}  // namespace normproof::ref::ops
