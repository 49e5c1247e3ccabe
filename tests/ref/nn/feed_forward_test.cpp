#include "ref/nn/feed_forward.hpp"

#include <gtest/gtest.h>

#include "tests/ref/nn/gradient_check.hpp"

namespace normproof::ref::nn {
namespace {

template <class T>
FeedForward<T> feed_forward_of(const NamedTensors<T>& t) {
  return {{t.at("w1"), t.at("b1")}, {t.at("w2"), t.at("b2")}};
}

TEST(FeedForward, TheBackwardIsTheDerivative) {
  for (const model::Activation activation :
       {model::Activation::relu, model::Activation::gelu, model::Activation::gelu_tanh})
    for (const double rate : {0.0, 0.5}) {
      const FeedForwardOptions options{activation, rate, {1, 2, "layers.0.feed_forward.active"}};
      NamedTensors<oracle50> inputs;
      inputs.set("x", random_tensor<oracle50>("x", {2, 2, 3}));
      inputs.set("w1", random_tensor<oracle50>("w1", {4, 3}));
      inputs.set("b1", random_tensor<oracle50>("b1", {4}));
      inputs.set("w2", random_tensor<oracle50>("w2", {3, 4}));
      inputs.set("b2", random_tensor<oracle50>("b2", {3}));
      const auto grad_y = random_tensor<oracle50>("grad_y", {2, 2, 3});
      const auto run = feed_forward(inputs.at("x"), feed_forward_of(inputs), options);
      const auto back = feed_forward_backward(grad_y, inputs.at("x"), feed_forward_of(inputs),
                                              run.saved, options);
      NamedTensors<oracle50> gradients;
      gradients.set("x", back.grad_x);
      gradients.set("w1", back.parameters.first.weight);
      gradients.set("b1", back.parameters.first.bias);
      gradients.set("w2", back.parameters.second.weight);
      gradients.set("b2", back.parameters.second.bias);
      expect_gradients(
          inputs, grad_y, gradients,
          [&](const NamedTensors<dual>& t) {
            return feed_forward(t.at("x"), feed_forward_of(t), options).y;
          },
          "feed_forward");
    }
}

TEST(FeedForward, ReluByHand) {
  const FeedForward<double> p{{{{1, 0}, {0, -1}}, {0, 0}}, {{{2, 3}, {5, 7}}, {1, 1}}};
  const auto run = feed_forward<double>({{{3, 4}}}, p, {});
  EXPECT_EQ(run.saved.active, (Tensor<double>{{{3, 0}}}));
  EXPECT_EQ(run.y, (Tensor<double>{{{7, 16}}}));
}

}  // namespace
}  // namespace normproof::ref::nn
