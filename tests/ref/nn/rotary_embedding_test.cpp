#include "ref/nn/rotary_embedding.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "ref/numeric/parallel.hpp"
#include "tests/ref/nn/gradient_check.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::ref::nn {
namespace {

using ::testing::ElementsAre;

TEST(RotaryEmbedding, RotatesPairsOfHalvesOrNeighborsAndCopiesOtherFeatures) {
  const Tensor<double> x{{1, 2, 3, 4, 5}}, cos{{0, 3}}, sin{{1, 0}};
  // If features are paired by halves, (1, 3) is rotated by a quarter turn and (2, 4) is multiplied
  // by 3.
  EXPECT_THAT(rotary_embedding(x, cos, sin), ElementsAre(-3, 6, 1, 12, 5));
  EXPECT_THAT(rotary_embedding(x, cos, sin, {.interleaved = true}), ElementsAre(-2, 1, 9, 12, 5));
  EXPECT_THAT(rotary_embedding_backward(x, cos, sin), ElementsAre(3, 6, -1, 12, 5));
}

TEST(RotaryEmbedding, EachTokenUsesItsRowOfTheCosAndSinTables) {
  Tensor<double> cos = tensor::full_tensor<double>({2, 1}, 0), sin = cos;
  cos(0, 0) = sin(1, 0) = 1;
  Tensor<double> x = tensor::full_tensor<double>({2, 1, 2, 2}, 1);
  const Tensor<double> y = rotary_embedding(x, cos, sin);
  EXPECT_THAT(y, ElementsAre(1, 1, -1, 1, 1, 1, -1, 1));
}

// The expected values follow docs/specification/attention.md operation by operation.
TEST(RotaryEmbedding, FollowsTheSpecification) {
  const auto x = random_tensor<double>("x", {3, 5, 6}), cos = random_tensor<double>("cos", {5, 3}),
             sin = random_tensor<double>("sin", {5, 3});
  const Tensor<double> y = rotary_embedding(x, cos, sin);
  for (std::size_t n = 0; n < 3; ++n)
    for (std::size_t t = 0; t < 5; ++t)
      for (std::size_t p = 0; p < 3; ++p) {
        const double a = x(n, t, p), b = x(n, t, p + 3), c = cos(t, p), s = sin(t, p);
        const double ac = a * c, bs = b * s, bc = b * c, as = a * s;
        EXPECT_EQ(y(n, t, p), ac - bs);
        EXPECT_EQ(y(n, t, p + 3), bc + as);
      }
}

TEST(RotaryEmbedding, BackwardIsTheDerivative) {
  for (const bool interleaved : {false, true})
    for (const std::size_t width : {2, 4, 5}) {
      NamedTensors<double> inputs;
      inputs.set("x", random_tensor<double>("x", {2, 2, width}));
      const auto cos = random_tensor<double>("cos", {2, width / 2}),
                 sin = random_tensor<double>("sin", {2, width / 2});
      const model::RopeOptions options{.interleaved = interleaved};
      expect_gradients(
          inputs, random_tensor<double>("grad_y", {2, 2, width}),
          [&]<class T>(const NamedTensors<T>& t) {
            return rotary_embedding(t.at("x"), tensor::convert<T>(cos), tensor::convert<T>(sin),
                                    options);
          },
          [&]<class T>(const NamedTensors<T>&, const Tensor<T>& grad_y) {
            NamedTensors<T> gradients;
            gradients.set("x", rotary_embedding_backward(grad_y, tensor::convert<T>(cos),
                                                         tensor::convert<T>(sin), options));
            return gradients;
          },
          "D " + std::to_string(width));
    }
}

TEST(RotaryEmbedding, BitsDoNotDependOnTheThreadCount) {
  const auto x = random_tensor<double>("x", {3, 400, 40}),
             cos = random_tensor<double>("cos", {400, 20}),
             sin = random_tensor<double>("sin", {400, 20});
  const auto whole = rotary_embedding(x, cos, sin);
  for (const int threads : {2, 5}) {
    numeric::set_num_threads(threads);
    EXPECT_EQ(rotary_embedding(x, cos, sin), whole);
  }
  numeric::set_num_threads(1);
}

std::string rotation_rejection_message(const Shape& x, const Shape& cos, const Shape& sin) {
  return numeric::contract_message([&] {
    rotary_embedding(random_tensor<double>("x", x), random_tensor<double>("cos", cos),
                     random_tensor<double>("sin", sin));
  });
}

TEST(RotaryEmbedding, C1_RejectsXWithOneAxis) {
  EXPECT_EQ(rotation_rejection_message({4}, {1, 2}, {1, 2}),
            "rotary_embedding: x has shape [4]; expected [..., T, D] with every extent at least 1 "
            "(C1)");
}

TEST(RotaryEmbedding, C2_RejectsTablesThatDoNotFitX) {
  EXPECT_EQ(rotation_rejection_message({2, 4}, {2, 3}, {2, 3}),
            "rotary_embedding: cos has shape [2, 3]; expected [2, P], P from 1 to 2 (C2)");
  EXPECT_EQ(rotation_rejection_message({2, 4}, {2, 2}, {2, 1}),
            "rotary_embedding: sin has shape [2, 1]; expected shape [2, 2] (C2)");
}

TEST(RotaryEmbedding, C3_RejectsNonFiniteElements) {
  auto x = random_tensor<double>("x", {1, 2});
  x(0, 1) = std::numeric_limits<double>::infinity();
  const Tensor<double> one = tensor::full_tensor<double>({1, 1}, 1);
  EXPECT_EQ(numeric::contract_message([&] { rotary_embedding(x, one, one); }),
            "rotary_embedding: x has the element [0, 1] = inf; expected finite values (C3)");
  EXPECT_EQ(numeric::contract_message([&] { rotary_embedding_backward(x, one, one); }),
            "rotary_embedding_backward: grad_y has the element [0, 1] = inf; expected finite "
            "values (C3)");
}

}  // namespace
}  // namespace normproof::ref::nn
