#include "ref/nn/linear.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/ref/nn/gradient_check.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::ref::nn {
namespace {

using ::testing::HasSubstr;

TEST(Linear, MatchesHandComputedValues) {
  const Linear<double> p{{{1, 2, 3}, {0, -1, 1}}, {10, 20}};
  const Tensor<double> x{{1, 1, 1}, {0, 2, -1}};
  EXPECT_EQ(linear(x, p), (Tensor<double>{{16, 20}, {11, 17}}));
  const auto back = linear_backward(Tensor<double>{{1, 0}, {0, 2}}, x, p);
  EXPECT_EQ(back.grad_x, (Tensor<double>{{1, 2, 3}, {0, -2, 2}}));
  EXPECT_EQ(back.parameters.weight, (Tensor<double>{{1, 1, 1}, {0, 4, -2}}));
  EXPECT_EQ(back.parameters.bias, (Tensor<double>{1, 2}));
}

TEST(Linear, BackwardIsTheDerivativeForAllExtentsUpTo3) {
  for (std::size_t n = 1; n <= 3; ++n)
    for (std::size_t in = 1; in <= 3; ++in)
      for (std::size_t out = 1; out <= 3; ++out) {
        NamedTensors<double> inputs;
        inputs.set("x", random_tensor<double>("x", {1, n, in}));
        inputs.set("weight", random_tensor<double>("weight", {out, in}));
        inputs.set("bias", random_tensor<double>("bias", {out}));
        expect_gradients(
            inputs, random_tensor<double>("grad_y", {1, n, out}),
            []<class T>(const NamedTensors<T>& t) {
              return linear<T>(t.at("x"), {t.at("weight"), t.at("bias")});
            },
            []<class T>(const NamedTensors<T>& t, const Tensor<T>& grad_y) {
              const auto back =
                  linear_backward<T>(grad_y, t.at("x"), {t.at("weight"), t.at("bias")});
              NamedTensors<T> gradients;
              gradients.set("x", back.grad_x);
              gradients.set("weight", back.parameters.weight);
              gradients.set("bias", back.parameters.bias);
              return gradients;
            },
            "linear");
      }
}

const Linear<double> kThreeToOne{{{1, 2, 3}}, {10}};

TEST(Linear, C1_RejectsXWithOneAxis) {
  EXPECT_THAT(numeric::contract_message([] {
                linear(Tensor<double>{1, 2, 3}, kThreeToOne);
              }),
              HasSubstr("(C1)"));
}

TEST(Linear, C2_RejectsDisagreeingInputsAndOutputs) {
  EXPECT_THAT(numeric::contract_message([] {
                linear(Tensor<double>{{1, 2}}, kThreeToOne);
              }),
              HasSubstr("weight has shape [1, 3], and x [1, 2]; expected [O,I] and [...,I] (C2)"));
  EXPECT_THAT(numeric::contract_message([] {
                linear(Tensor<double>{{1, 2, 3}}, {{{1, 2, 3}}, {10, 20}});
              }),
              HasSubstr("bias has shape [2]; expected shape [1] (C2)"));
}

TEST(Linear, C3_RejectsGradYOfWrongShape) {
  EXPECT_THAT(numeric::contract_message([] {
                linear_backward(Tensor<double>{{1, 2}}, {{1, 2, 3}}, kThreeToOne);
              }),
              HasSubstr("grad_y has shape [1, 2]; expected shape [1, 1] (C3)"));
}

}  // namespace
}  // namespace normproof::ref::nn
