#include "ref/train/vocabulary_loss.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/numeric/parallel.hpp"
#include "tests/ref/nn/gradient_check.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::ref::train {
namespace {

using nn::random_tensor;
using tensor::NamedTensors;
using ::testing::HasSubstr;

/// The arguments of vocabulary_loss: the rows x, the weight and bias of the head, and the targets.
/// Every fourth target is ignored.
struct VocabularyLossCase {
  Tensor<double> x, weight, bias;
  std::vector<int> targets;

  VocabularyLossCase(std::size_t rows, std::size_t d_model, std::size_t vocabulary)
      : x(random_tensor<double>("x", {rows, d_model})),
        weight(random_tensor<double>("weight", {vocabulary, d_model})),
        bias(random_tensor<double>("bias", {vocabulary})) {
    for (std::size_t i = 0; i < rows; ++i)
      targets.push_back(i % 4 == 1 ? kIgnored : static_cast<int>(i * 7 % vocabulary));
  }
};

/// Computes the loss and its gradient from the matrix of all logits, not in blocks of rows.
VocabularyLoss<double> compute_loss_from_all_logits(const VocabularyLossCase& c,
                                                    const model::LossOptions& options) {
  const auto logits = nn::linear(c.x, c.weight, c.bias);
  const auto loss = cross_entropy<double>(logits, c.targets, {}, options);
  const auto grad = cross_entropy_backward<double>(loss.log_probabilities, c.targets, {}, options);
  auto backward = nn::linear_backward(grad, c.x, c.weight, c.bias);
  return {loss.loss, std::move(backward.grad_x), std::move(backward.parameters)};
}

// 700 rows fill two blocks of 256 rows and a part of a third block. 20 rows are fewer than the 32
// lanes of rule R2.
TEST(VocabularyLoss, ResultDoesNotDependOnTheBlockSize) {
  for (const std::size_t rows : {std::size_t{1}, std::size_t{20}, std::size_t{700}})
    for (const double smoothing : {0.0, 0.1}) {
      const VocabularyLossCase c(rows, 5, 11);
      const model::LossOptions options{.label_smoothing = smoothing};
      const auto expected = compute_loss_from_all_logits(c, options);
      for (const std::size_t block : {0, 256, 512})
        for (const int threads : {1, 3}) {
          numeric::set_num_threads(threads);
          const auto got =
              vocabulary_loss_gradient<double>(c.x, {c.weight, c.bias}, c.targets, options, block);
          EXPECT_EQ(got.loss, expected.loss);
          EXPECT_EQ(got.grad_x, expected.grad_x);
          EXPECT_EQ(got.head.weight, expected.head.weight);
          EXPECT_EQ(got.head.bias, expected.head.bias);
          EXPECT_EQ(vocabulary_loss<double>(c.x, {c.weight, c.bias}, c.targets, options, block),
                    expected.loss);
        }
      numeric::set_num_threads(1);
    }
}

TEST(VocabularyLoss, GradientIsTheDerivative) {
  const VocabularyLossCase c(3, 2, 4);
  NamedTensors<double> inputs;
  inputs.set("x", c.x);
  inputs.set("weight", c.weight);
  inputs.set("bias", c.bias);
  for (const double smoothing : {0.0, 0.25}) {
    const model::LossOptions options{.label_smoothing = smoothing};
    nn::expect_gradients(
        inputs, Tensor<double>{1.5},
        [&]<class T>(const NamedTensors<T>& t) {
          return tensor::full_tensor<T>(
              {1},
              vocabulary_loss<T>(t.at("x"), {t.at("weight"), t.at("bias")}, c.targets, options));
        },
        [&]<class T>(const NamedTensors<T>& t, const Tensor<T>& grad_loss) {
          auto found = vocabulary_loss_gradient<T>(t.at("x"), {t.at("weight"), t.at("bias")},
                                                   c.targets, options);
          NamedTensors<T> gradients;
          gradients.set("x", found.grad_x);
          gradients.set("weight", found.head.weight);
          gradients.set("bias", found.head.bias);
          for (auto& [name, values] : gradients)
            for (T& v : values) v *= grad_loss.data()[0];
          return gradients;
        },
        "a head over a vocabulary");
  }
}

TEST(VocabularyLoss, C9_RejectsBlocksThatAreNotMultiplesOf256) {
  const VocabularyLossCase c(3, 2, 4);
  EXPECT_THAT(numeric::contract_message([&] {
                vocabulary_loss<double>(c.x, {c.weight, c.bias}, c.targets, {}, 100);
              }),
              HasSubstr("block_rows is 100; expected a multiple of 256 (C9)"));
}

TEST(VocabularyLoss, RejectsInvalidTargetsBiasesAndLogits) {
  VocabularyLossCase c(3, 2, 4);
  const auto rejection_message = [&] {
    return numeric::contract_message([&] {
      vocabulary_loss<double>(c.x, {c.weight, c.bias}, c.targets);
    });
  };
  c.targets[0] = 4;
  EXPECT_THAT(rejection_message(),
              HasSubstr("targets has the element [0] = 4; expected a class 0 .. 3"));
  c.targets.assign(3, kIgnored);
  EXPECT_THAT(rejection_message(), HasSubstr("ignores every row"));
  c = VocabularyLossCase(3, 2, 4);
  c.bias = Tensor<double>{1, 2};
  EXPECT_THAT(rejection_message(), HasSubstr("bias has shape [2]; expected shape [4]"));
  c = VocabularyLossCase(3, 2, 4);
  c.bias.data()[1] = 1e308 * 10;
  EXPECT_THAT(rejection_message(), HasSubstr("logits has the element [0, 1]"));
}

}  // namespace
}  // namespace normproof::ref::train
