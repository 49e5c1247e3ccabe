#include "ref/nn/embedding.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/numeric/parallel.hpp"
#include "ref/numeric/square_root.hpp"
#include "tests/ref/nn/gradient_check.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::ref::nn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Embedding, SelectsRowsAndAddsTheirGradientsInOrderOfPositions) {
  const Tokens tokens{2, 2, {3, 1, 3, 0}};
  const Tensor<double> weight{{0, 1}, {2, 3}, {4, 5}, {6, 7}};
  const auto y = embedding(tokens, weight);
  EXPECT_EQ(y, (Tensor<double>{{{6, 7}, {2, 3}}, {{6, 7}, {0, 1}}}));
  // The gradients of token 3 are added in ascending order of positions, starting from +0.
  const Tensor<double> grad{{{0x1p60, 1}, {5, 5}}, {{1, 2}, {-0.0, 0}}};
  const auto gradient = embedding_backward(grad, tokens, 4);
  EXPECT_THAT(gradient.rows, ElementsAre(0u, 1u, 3u));
  EXPECT_EQ(gradient.values, (Tensor<double>{{0, 0}, {5, 5}, {0x1p60 + 1, 3}}));
  EXPECT_FALSE(std::signbit(gradient.values.data()[0]));
}

TEST(Embedding, ScalingMultipliesByTheSquareRootOfTheWidth) {
  const Tokens tokens{1, 2, {1, 1}};
  const Tensor<double> weight{{0, 1, 2, 3}, {4, 5, 6, 7}};
  EXPECT_EQ(embedding(tokens, weight, true), (Tensor<double>{{{8, 10, 12, 14}, {8, 10, 12, 14}}}));
  const Tensor<double> grad{{{1, 2, 3, 4}, {10, 20, 30, 40}}};
  EXPECT_EQ(embedding_backward(grad, tokens, 2, true).values, (Tensor<double>{{22, 44, 66, 88}}));
  // The square root of 3 is rounded once. The sum of the gradients is scaled, not each term.
  const Tensor<double> three{{{0x1p53, 1, 0.1}, {1, 1, 0.2}}};
  const double root = numeric::square_root(3.0);
  EXPECT_EQ(embedding_backward(three, tokens, 2, true).values,
            (Tensor<double>{{0x1p53 * root, 2 * root, (0.1 + 0.2) * root}}));
}

TEST(Embedding, AddRowsAddsARowGradientToADenseGradient) {
  Tensor<double> whole{{1, 2}, {3, 4}, {5, 6}};
  add_rows(whole, {{0, 2}, {{10, 20}, {30, 40}}});
  EXPECT_EQ(whole, (Tensor<double>{{11, 22}, {3, 4}, {35, 46}}));
  add_rows(whole, RowGradient<double>());
  EXPECT_EQ(whole, (Tensor<double>{{11, 22}, {3, 4}, {35, 46}}));
}

void expect_embedding_derivative(bool scaled) {
  const Tokens tokens{2, 3, {2, 0, 2, 2, 4, 0}};
  NamedTensors<double> inputs;
  inputs.set("weight", random_tensor<double>("weight", {5, 3}));
  expect_gradients(
      inputs, random_tensor<double>("grad_y", {2, 3, 3}),
      [&](const auto& t) { return embedding(tokens, t.at("weight"), scaled); },
      [&]<class T>(const NamedTensors<T>&, const Tensor<T>& grad_y) {
        const auto rows = embedding_backward(grad_y, tokens, 5, scaled);
        NamedTensors<T> gradients;
        gradients.set("weight", tensor::full_tensor<T>({5, 3}, T(0)));
        for (std::size_t r = 0; r < rows.rows.size(); ++r)
          for (std::size_t d = 0; d < 3; ++d)
            gradients.at("weight").data()[rows.rows[r] * 3 + d] = rows.values.data()[r * 3 + d];
        return gradients;
      },
      "embedding");
}

TEST(Embedding, BackwardIsTheDerivative) {
  expect_embedding_derivative(false);
  expect_embedding_derivative(true);
}

TEST(Embedding, BitsDoNotDependOnTheThreadCount) {
  Tokens tokens{40, 50, {}};
  for (std::size_t i = 0; i < 2000; ++i)
    tokens.ids.push_back(static_cast<std::int32_t>(i * 7919 % 97));
  const auto grad = random_tensor<double>("grad", {40, 50, 33});
  const auto once = embedding_backward(grad, tokens, 97);
  for (const int threads : {2, 5}) {
    numeric::set_num_threads(threads);
    EXPECT_EQ(embedding_backward(grad, tokens, 97).values, once.values);
  }
  numeric::set_num_threads(1);
}

std::string rejection_message(const Tokens& tokens,
                              const Tensor<double>& weight = {{0, 1}, {2, 3}}) {
  return numeric::contract_message([&] { embedding(tokens, weight); });
}

TEST(Embedding, C1_RejectsTooFewIds) {
  EXPECT_THAT(rejection_message({1, 2, {0}}), HasSubstr("(C1)"));
}

TEST(Embedding, C2_RejectsIdsOutsideOfTheVocabulary) {
  EXPECT_THAT(rejection_message({1, 2, {0, 2}}),
              HasSubstr("has the id 2 at [0, 1]; expected 0 to 1 (C2)"));
  EXPECT_THAT(rejection_message({1, 1, {-1}}), HasSubstr("(C2)"));
}

TEST(Embedding, C3_RejectsAWeightThatIsNotAMatrix) {
  EXPECT_THAT(rejection_message({1, 1, {0}}, {1, 2}), HasSubstr("(C3)"));
}

TEST(Embedding, C4_RejectsGradYOfWrongShape) {
  EXPECT_THAT(numeric::contract_message([] {
                embedding_backward(Tensor<double>{{1, 2}}, {1, 1, {0}}, 2);
              }),
              HasSubstr("(C4)"));
}

}  // namespace
}  // namespace normproof::ref::nn
