#include "ref/train/cross_entropy.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vector>

#include "ref/ops/softmax.hpp"
#include "tests/ref/numeric/special_values.hpp"
#include "tests/ref/ops/lenses.hpp"

namespace normproof::ref::train {
namespace {

using numeric::contract_message;
using numeric::kInfinity;
using numeric::kNaN;
using tensor::Shape;

TEST(CrossEntropyContract, C1_RejectsLogitsThatAreNotAMatrix) {
  EXPECT_EQ(contract_message([] {
              cross_entropy(Tensor<double>{1, 2}, {0, 1});
            }),
            "cross_entropy: logits has shape [2]; expected [N, C] with extents at least 1 (C1)");
  EXPECT_EQ(contract_message([] {
              cross_entropy(Tensor<double>::from_shape({0, 2}), {});
            }),
            "cross_entropy: logits has shape [0, 2]; expected [N, C] with extents at least 1 (C1)");
}

const Tensor<double> kTwoRows = {{1, 2, 3}, {4, 5, 6}};

TEST(CrossEntropyContract, C2_RejectsTargetsThatAreNoClass) {
  EXPECT_EQ(contract_message([] { cross_entropy(kTwoRows, {0}); }),
            "cross_entropy: targets has 1 elements; expected 2, one a row (C2)");
  for (const int wrong : {-2, 3, 2147483647}) {
    const std::string message = fmt::format(
        "targets has the element [1] = {}; expected a class 0 .. 2, or -1 where the "
        "row is ignored (C2)",
        wrong);
    EXPECT_EQ(contract_message([&] {
                cross_entropy(kTwoRows, {0, wrong});
              }),
              "cross_entropy: " + message);
    EXPECT_EQ(contract_message([&] {
                cross_entropy_backward(ops::log_softmax(kTwoRows), {0, wrong});
              }),
              "cross_entropy_backward: " + message);
  }
}

TEST(CrossEntropyContract, C3_RejectsNegativeOrNonFiniteWeights) {
  const auto message = [](const Tensor<double>& weights) {
    return contract_message([&] { cross_entropy(kTwoRows, {0, 1}, weights); });
  };
  const std::string expectation =
      "; expected shape [3], finite elements >= 0 and a finite sum (C3)";
  EXPECT_EQ(message({1, 2}), "cross_entropy: class_weights has shape [2]" + expectation);
  EXPECT_EQ(message({1, 2, -0.5}),
            "cross_entropy: class_weights has the element [2] = -0.5" + expectation);
  EXPECT_EQ(message({kNaN, 2, 0}),
            "cross_entropy: class_weights has the element [0] = nan" + expectation);
  EXPECT_EQ(message({1, kInfinity, 0}),
            "cross_entropy: class_weights has the element [1] = inf" + expectation);
  EXPECT_EQ(message({1e308, 1e308, 0}),
            "cross_entropy: class_weights have a sum that overflows; expected a finite sum (C3)");
}

TEST(CrossEntropyContract, C4_RejectsSmoothingOutsideOfZeroToOne) {
  for (const double wrong : {-0.1, 1.5, kNaN, kInfinity})
    EXPECT_EQ(contract_message([&] {
                cross_entropy(kTwoRows, {0, 1}, {}, {wrong});
              }),
              fmt::format("cross_entropy: label_smoothing is {}; expected 0 <= label_smoothing <= "
                          "1 (C4)",
                          wrong));
}

TEST(CrossEntropyContract, C5_RejectsABatchWithoutCountedRows) {
  EXPECT_EQ(contract_message([] {
              cross_entropy(kTwoRows, {kIgnored, kIgnored});
            }),
            "cross_entropy: targets ignores every row; expected one at least that counts (C5)");
  EXPECT_EQ(contract_message([] {
              cross_entropy(kTwoRows, {0, 0}, {0, 1, 1});
            }),
            "cross_entropy: class_weights give the targets the sum 0; expected a finite sum > 0 "
            "(C5)");
  EXPECT_THROW(cross_entropy(kTwoRows, {0, 1}, {0, 0, 0}), numeric::ContractError);
  EXPECT_THROW(cross_entropy_backward(kTwoRows, {kIgnored, kIgnored}), numeric::ContractError);
}

TEST(CrossEntropyContract, C8_RejectsNonFiniteLogits) {
  for (const double bad : {kInfinity, -kInfinity, kNaN}) {
    Tensor<double> logits = kTwoRows;
    logits(1, 2) = bad;
    EXPECT_EQ(contract_message([&] {
                cross_entropy(logits, {0, kIgnored});
              }),
              "cross_entropy: logits has the element [1, 2] = " + ops::to_text(bad) +
                  "; expected finite values (C8)");
  }
}

TEST(CrossEntropyContract, C6_RejectsLogitsThatOverflow) {
  EXPECT_EQ(contract_message([] {
              cross_entropy(Tensor<double>{{1e308, -1e308}}, {0});
            }),
            "cross_entropy: logits make a log-probability -inf; expected logits so near each other "
            "that it is finite (C6)");
  EXPECT_EQ(contract_message([] {
              cross_entropy(Tensor<double>{{1e308, 0}}, {1}, {1, 10});
            }),
            "cross_entropy: logits make the loss inf; expected logits so near each other that it "
            "is finite (C6)");
  EXPECT_BITS_EQ(cross_entropy(Tensor<double>{{800, 0}}, {1}).loss, 800.0);
}

TEST(CrossEntropyContract, C7_RejectsWrongLogProbabilities) {
  EXPECT_EQ(contract_message([] {
              cross_entropy_backward(Tensor<double>{1, 2}, {0});
            }),
            "cross_entropy_backward: log_probabilities has shape [2]; expected [N, C] with extents "
            "at least 1 (C7)");
  EXPECT_EQ(contract_message([] {
              cross_entropy_backward(Tensor<double>{{0, kNaN}}, {0});
            }),
            "cross_entropy_backward: log_probabilities has the element [0, 1] = nan; expected "
            "finite values (C7)");
}

}  // namespace
}  // namespace normproof::ref::train
