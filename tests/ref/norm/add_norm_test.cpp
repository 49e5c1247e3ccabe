#include "ref/norm/add_norm.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/ref/numeric/special_values.hpp"
#include "tests/ref/ops/lenses.hpp"

namespace normproof::ref::norm {
namespace {

using numeric::contract_message;
using numeric::oracle50;
using numeric::running_error;
using ops::convert_elements;
using ops::random_tensor;
using tensor::Shape;

/// The sum of x and residual is 1, -1, 1, -1. A layer that normalizes x alone, or residual alone,
/// gives a different result.
const Tensor<double> kAddedX = {{7, -4, 5, 0}}, kAddedResidual = {{-6, 3, -4, -1}};

TEST(AddNorm, MatchesHandComputedValues) {
  const auto layer =
      add_layer_norm(kAddedX, kAddedResidual, {{2, 2, 4, 4}, {0, 1, 0, 1}}, {.eps = 0});
  EXPECT_BITS_EQ(layer.sum, (Tensor<double>{{1, -1, 1, -1}}));
  EXPECT_BITS_EQ(layer.y, (Tensor<double>{{2, -1, 4, -3}}));
  const auto rms = add_rms_norm(kAddedX, kAddedResidual, {{2, 2, 4, 4}, {}}, {.eps = 0});
  EXPECT_BITS_EQ(rms.sum, layer.sum);
  EXPECT_BITS_EQ(rms.y, (Tensor<double>{{2, -2, 4, -4}}));
}

TEST(AddNorm, GradXIsTheGradientOfTheLayerPlusGradSum) {
  const Affine<double> affine{{2, 2, 4, 4}, {}};
  const Tensor<double> none = {{0, 0, 0, 0}}, grad_sum = {{1, 2, 3, 4}}, grad_y = {{4, 0, 0, 0}};
  const auto forward = add_layer_norm(kAddedX, kAddedResidual, affine, {.eps = 0});
  EXPECT_BITS_EQ(add_layer_norm_backward(none, grad_sum, forward.sum, affine, forward.saved).grad_x,
                 grad_sum);
  // g = (8,0,0,0), a = 2, c = 2: (6 - 2, -2 + 2, -2 - 2, -2 + 2)
  const auto alone = add_layer_norm_backward(grad_y, {}, forward.sum, affine, forward.saved);
  EXPECT_BITS_EQ(alone.grad_x, (Tensor<double>{{4, 0, -4, 0}}));
  EXPECT_BITS_EQ(alone.grad_gamma, (Tensor<double>{4, 0, 0, 0}));
  EXPECT_BITS_EQ(
      add_layer_norm_backward(grad_y, grad_sum, forward.sum, affine, forward.saved).grad_x,
      (Tensor<double>{{5, 2, -1, 4}}));
  const auto rms = add_rms_norm(kAddedX, kAddedResidual, affine, {.eps = 0});
  EXPECT_BITS_EQ(add_rms_norm_backward(grad_y, grad_sum, rms.sum, affine, rms.saved).grad_x,
                 (Tensor<double>{{7, 4, 1, 6}}));
}

/// add_layer_norm and add_rms_norm must equal the layer applied to x + residual, bit for bit.
TEST(AddNorm, EqualsTheLayerAppliedToTheSum) {
  for (const Shape& shape : {Shape{3, 7}, Shape{2, 3, 33}}) {
    const Tensor<double> x = random_tensor(shape, "x", 3), residual = random_tensor(shape, "r");
    const Tensor<double> grad_y = random_tensor(shape, "grad_y");
    const Affine<double> affine{random_tensor({shape.back()}, "gamma"),
                                random_tensor({shape.back()}, "beta")};
    Tensor<double> sum = x;
    for (std::size_t i = 0; i < sum.size(); ++i) sum.data()[i] += residual.data()[i];
    const auto got = add_layer_norm(x, residual, affine);
    const auto layer = layer_norm(sum, affine);
    EXPECT_BITS_EQ(got.sum, sum);
    EXPECT_BITS_EQ(got.y, layer.y);
    const auto gradients = layer_norm_backward(grad_y, sum, affine, layer.saved);
    const auto of_sum = add_layer_norm_backward(grad_y, {}, got.sum, affine, got.saved);
    EXPECT_BITS_EQ(of_sum.grad_x, gradients.grad_x);
    EXPECT_BITS_EQ(of_sum.grad_gamma, gradients.grad_gamma);
    EXPECT_BITS_EQ(of_sum.grad_beta, gradients.grad_beta);
    EXPECT_BITS_EQ(add_rms_norm(x, residual, affine).y, rms_norm(sum, affine).y);
  }
}

/// Returns the elements of y followed by the elements of sum.
template <class T>
Tensor<T> concatenate_outputs(const Tensor<T>& y, const Tensor<T>& sum) {
  Tensor<T> both = tensor::empty_tensor<T>({y.size() + sum.size()});
  std::copy_n(y.data(), y.size(), both.data());
  std::copy_n(sum.data(), sum.size(), both.data() + y.size());
  return both;
}

struct AddLayerNormFunctions {
  template <class... A>
  static auto forward(const A&... a) {
    return add_layer_norm(a...);
  }
  template <class... A>
  static auto backward(const A&... a) {
    return add_layer_norm_backward(a...);
  }
};
struct AddRmsNormFunctions {
  template <class... A>
  static auto forward(const A&... a) {
    return add_rms_norm(a...);
  }
  template <class... A>
  static auto backward(const A&... a) {
    return add_rms_norm_backward(a...);
  }
};

/// Checks that grad_x is the derivative with respect to x and also with respect to the residual.
template <class Added>
void expect_derivative_in_x_and_residual() {
  const Shape shape = {2, 5};
  const Tensor<double> x = random_tensor(shape, "x"), residual = random_tensor(shape, "r", 2);
  const Tensor<double> grad_y = random_tensor(shape, "g"), grad_sum = random_tensor(shape, "s");
  const Tensor<double> gamma = random_tensor({5}, "gamma"), beta = random_tensor({5}, "beta");
  const auto run = [&]<class T>(const Tensor<T>& a, const Tensor<T>& b) {
    return Added::forward(a, b, Affine<T>{convert_elements<T>(gamma), convert_elements<T>(beta)});
  };
  const auto grad_x = [&]<class T>(T) {
    const Affine<T> affine{convert_elements<T>(gamma), convert_elements<T>(beta)};
    const auto forward = run(convert_elements<T>(x), convert_elements<T>(residual));
    return Added::backward(convert_elements<T>(grad_y), convert_elements<T>(grad_sum), forward.sum,
                           affine, forward.saved)
        .grad_x;
  };
  const Tensor<double> weights = concatenate_outputs(grad_y, grad_sum);
  ops::expect_derivative(
      [&]<class S>(const Tensor<S>& at) {
        const auto result = run(at, convert_elements<S>(residual));
        return concatenate_outputs(result.y, result.sum);
      },
      x, weights, grad_x(oracle50()), grad_x(running_error()));
  ops::expect_derivative(
      [&]<class S>(const Tensor<S>& at) {
        const auto result = run(convert_elements<S>(x), at);
        return concatenate_outputs(result.y, result.sum);
      },
      residual, weights, grad_x(oracle50()), grad_x(running_error()));
}

TEST(AddNorm, BackwardIsTheDerivativeInXAndInTheResidual) {
  expect_derivative_in_x_and_residual<AddLayerNormFunctions>();
  expect_derivative_in_x_and_residual<AddRmsNormFunctions>();
}

TEST(AddLayerNorm, C1_RejectsResidualOfWrongShape) {
  EXPECT_EQ(contract_message([] {
              add_layer_norm(kAddedX, {1, 2}, {});
            }),
            "add_layer_norm: residual has shape [2]; expected shape [1, 4] (C1)");
}
TEST(AddRmsNorm, C1_RejectsResidualOfWrongShape) {
  EXPECT_EQ(contract_message([] {
              add_rms_norm(kAddedX, {1, 2}, {});
            }),
            "add_rms_norm: residual has shape [2]; expected shape [1, 4] (C1)");
}

const Tensor<double> kNearLargest = {{1e308, 0, 0, 0}};

TEST(AddLayerNorm, C2_RejectsInfiniteSum) {
  EXPECT_EQ(contract_message([] { add_layer_norm(kNearLargest, kNearLargest, {}); }),
            "add_layer_norm: x + residual has the element [0, 0] = inf; expected finite values "
            "(C2)");
}
TEST(AddRmsNorm, C2_RejectsInfiniteSum) {
  EXPECT_EQ(contract_message([] { add_rms_norm(kNearLargest, kNearLargest, {}); }),
            "add_rms_norm: x + residual has the element [0, 0] = inf; expected finite values (C2)");
}

TEST(AddLayerNormBackward, C3_RejectsGradSumOfWrongShape) {
  const auto forward = add_layer_norm(kAddedX, kAddedResidual, {});
  EXPECT_EQ(contract_message([&] {
              add_layer_norm_backward(kAddedX, {1, 2}, forward.sum, {}, forward.saved);
            }),
            "add_layer_norm_backward: grad_sum has shape [2]; expected shape [1, 4] (C3)");
}
TEST(AddRmsNormBackward, C3_RejectsGradSumOfWrongShape) {
  const auto forward = add_rms_norm(kAddedX, kAddedResidual, {});
  EXPECT_EQ(contract_message([&] {
              add_rms_norm_backward(kAddedX, {1, 2}, forward.sum, {}, forward.saved);
            }),
            "add_rms_norm_backward: grad_sum has shape [2]; expected shape [1, 4] (C3)");
}

TEST(AddLayerNormBackward, C4_RejectsNonFiniteGradX) {
  const auto forward = add_layer_norm(kAddedX, kAddedResidual, {});
  const Tensor<double> bad = {{0, 0, numeric::kNaN, 0}};
  EXPECT_EQ(contract_message(
                [&] { add_layer_norm_backward(kAddedX, bad, forward.sum, {}, forward.saved); }),
            "add_layer_norm_backward: grad_x has the element [0, 2] = nan; expected finite values "
            "(C4)");
}
TEST(AddRmsNormBackward, C4_RejectsNonFiniteGradX) {
  const auto forward = add_rms_norm(kAddedX, kAddedResidual, {});
  const Tensor<double> bad = {{0, 0, numeric::kNaN, 0}};
  EXPECT_EQ(contract_message(
                [&] { add_rms_norm_backward(kAddedX, bad, forward.sum, {}, forward.saved); }),
            "add_rms_norm_backward: grad_x has the element [0, 2] = nan; expected finite values "
            "(C4)");
}

}  // namespace
}  // namespace normproof::ref::norm
