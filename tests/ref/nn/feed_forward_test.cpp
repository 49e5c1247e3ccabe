#include "ref/nn/feed_forward.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "ref/numeric/error_tape.hpp"
#include "ref/numeric/operation_error.hpp"
#include "ref/ops/activation.hpp"
#include "ref/ops/gelu_tanh_cancellation.hpp"
#include "tests/ref/nn/gradient_check.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::ref::nn {
namespace {

template <class T>
FeedForward<T> make_feed_forward(const NamedTensors<T>& t) {
  return {{t.at("w1"), t.at("b1")}, {t.at("w2"), t.at("b2")}};
}

TEST(FeedForward, BackwardIsTheDerivative) {
  for (const model::Activation activation :
       {model::Activation::relu, model::Activation::gelu, model::Activation::gelu_tanh})
    for (const double rate : {0.0, 0.5}) {
      const FeedForwardOptions options{activation, rate, {1, 2, "layers.0.feed_forward.active"}};
      NamedTensors<double> inputs;
      inputs.set("x", random_tensor<double>("x", {2, 2, 3}));
      inputs.set("w1", random_tensor<double>("w1", {4, 3}));
      inputs.set("b1", random_tensor<double>("b1", {4}));
      inputs.set("w2", random_tensor<double>("w2", {3, 4}));
      inputs.set("b2", random_tensor<double>("b2", {3}));
      expect_gradients(
          inputs, random_tensor<double>("grad_y", {2, 2, 3}),
          [&](const auto& t) { return feed_forward(t.at("x"), make_feed_forward(t), options).y; },
          [&]<class T>(const NamedTensors<T>& t, const Tensor<T>& grad_y) {
            const auto run = feed_forward(t.at("x"), make_feed_forward(t), options);
            const auto back =
                feed_forward_backward(grad_y, t.at("x"), make_feed_forward(t), run.saved, options);
            NamedTensors<T> gradients;
            gradients.set("x", back.grad_x);
            gradients.set("w1", back.parameters.first.weight);
            gradients.set("b1", back.parameters.first.bias);
            gradients.set("w2", back.parameters.second.weight);
            gradients.set("b2", back.parameters.second.bias);
            return gradients;
          },
          "feed_forward");
    }
}

/// Returns a bound of the error of y with gelu_tanh: that of the activation, that of the published
/// formula, and two operations of the second map, which multiplies by 1 and adds 0.
double error_of_the_published_formula(const FeedForwardForward<numeric::any_order_error>& run) {
  const double u = numeric::AnyOrderArithmetic::current().unit_roundoff;
  const double of_map = 2 * numeric::kMaxOperationError * u;
  const numeric::any_order_error& x = run.saved.inner.data()[0];
  const double error = ops::gelu_tanh(run.saved.inner).data()[0].error +
                       ops::gelu_tanh_cancellation(u, std::fabs(x.value) + 2 * x.error);
  constexpr double kRoundingOfTheBound = 1 + 0x1p-20;
  return kRoundingOfTheBound * (error * (1 + of_map) + of_map * std::fabs(run.y.data()[0].value));
}

TEST(FeedForward, BoundsCoverThePublishedFormulaOfGeluTanh) {
  using numeric::any_order_error;
  const numeric::AnyOrderArithmetic in_float32(
      numeric::arithmetic_of_type(numeric::FloatType::float32));
  const auto one = tensor::full_tensor<any_order_error>({1, 1}, 1.0);
  const Linear<any_order_error> identity{one, tensor::full_tensor<any_order_error>({1}, 0.0)};
  const FeedForward<any_order_error> parameters{identity, identity};
  const FeedForwardOptions options{model::Activation::gelu_tanh, 0.0, {}};
  for (const bool records : {false, true}) {
    std::optional<numeric::ErrorTape> tape;
    if (records) tape.emplace(1000, 1000);
    const auto x = tensor::full_tensor<any_order_error>({1, 1}, -5.0);
    const auto run = feed_forward(x, parameters, options);
    const auto back = feed_forward_backward(one, x, parameters, run.saved, options);
    const any_order_error &y = run.y.data()[0], &grad_x = back.grad_x.data()[0];
    // In float32, 1 + tanh may be 0, and so may y and the gradient.
    EXPECT_GE(y.error, std::fabs(y.value)) << records;
    EXPECT_GE(grad_x.error, std::fabs(grad_x.value)) << records;
    EXPECT_LE(y.error, error_of_the_published_formula(run)) << records;
    if (!records) continue;
    EXPECT_GE(tape->bound(y), std::fabs(y.value));
    EXPECT_GE(tape->bound(grad_x), std::fabs(grad_x.value));
  }
}

TEST(FeedForward, C1_RejectsDropoutRateOfOne) {
  const auto one = tensor::full_tensor<double>({1, 1}, 1.0);
  const Linear<double> map{one, tensor::full_tensor<double>({1}, 0.0)};
  EXPECT_NE(numeric::contract_message([&] {
              feed_forward(one, {map, map}, {model::Activation::relu, 1.0, {}});
            }),
            "no error");
}

TEST(FeedForward, ReluMatchesHandComputedValues) {
  const FeedForward<double> p{{{{1, 0}, {0, -1}}, {0, 0}}, {{{2, 3}, {5, 7}}, {1, 1}}};
  const auto run = feed_forward<double>({{{3, 4}}}, p, {});
  EXPECT_EQ(run.saved.active, (Tensor<double>{{{3, 0}}}));
  EXPECT_EQ(run.y, (Tensor<double>{{{7, 16}}}));
}

}  // namespace
}  // namespace normproof::ref::nn
