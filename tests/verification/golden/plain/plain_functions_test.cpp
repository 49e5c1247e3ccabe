#include "verification/golden/plain/plain_functions.hpp"
#include "ref/model/operation_info.hpp"
#include "verification/golden/recipes/case_inputs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/golden/certify/samples.hpp"

namespace normproof::verification::golden::plain {
namespace {

using ::testing::DoubleEq;
using ::testing::DoubleNear;
using ::testing::ElementsAre;

std::vector<StoredTensor> run(const Case& c, const Mutation& mutation = {},
                              const Style& style = {}) {
  Sites sites(mutation);
  return run_plain_function(c, recipes::inputs_of(c), style, sites);
}

Case case_of_two_equal_elements(const char* function) {
  return plain_recipe(function, {1, 2})
      .x([](auto, double) { return 3.0; })
      .grad_y([](std::size_t i, double) { return i == 0 ? 4.0 : 0.0; })
      .make(1);
}

TEST(PlainFunctions, SoftmaxOfEqualElementsIsUniform) {
  const auto right = run(case_of_two_equal_elements("softmax"));
  EXPECT_THAT(find_tensor_values(right, "y"), ElementsAre(0.5, 0.5));
  EXPECT_THAT(find_tensor_values(right, "grad_x"), ElementsAre(1, -1));
  const auto wrong =
      run(case_of_two_equal_elements("softmax"), {"sum of grad_y y", MutationOperator::drop});
  EXPECT_THAT(find_tensor_values(wrong, "grad_x"), ElementsAre(2, 0));
  const auto turned =
      run(case_of_two_equal_elements("softmax"), {"axis of the sum", MutationOperator::other});
  EXPECT_THAT(find_tensor_values(turned, "y"), ElementsAre(1, 1));
}

TEST(PlainFunctions, LogSumExpHasOneOutputPerRow) {
  const auto answer = run(case_of_two_equal_elements("log_sum_exp"));
  EXPECT_EQ(find(answer, "y")->shape, (std::vector<std::size_t>{1}));
  EXPECT_THAT(find_tensor_values(answer, "y"), ElementsAre(DoubleEq(3 + 0.69314718055994531)));
  EXPECT_THAT(find_tensor_values(answer, "grad_x"), ElementsAre(DoubleEq(2), DoubleEq(2)));
}

TEST(PlainFunctions, EveryStyleAgreesWithTheReference) {
  for (const std::string& function : ref::model::function_names()) {
    if (!ref::model::operation_info(function).is_computed_per_row()) continue;
    const Case c = plain_recipe(function, {3, 7}).make(1);
    const auto expected = certify::certify(c).tensors;
    for (const Style& style : {Style{}, Style{.sum = Style::Sum::backwards}, Style{.divide = true},
                               Style{.powers = true}})
      for (const char* name : {"y", "grad_x"}) {
        const auto got = find_tensor_values(run(c, {}, style), name),
                   wanted = find_tensor_values(expected, name);
        ASSERT_EQ(got.size(), wanted.size()) << function;
        for (std::size_t i = 0; i < got.size(); ++i)
          EXPECT_NEAR(got[i], wanted[i], 0x1p-48 * (1 + std::fabs(wanted[i]))) << function;
      }
  }
}

TEST(PlainFunctions, EveryStyleOfGatedFunctionsAgreesWithTheReference) {
  for (const char* function : {"swiglu", "geglu"}) {
    const Case c = plain_recipe(function, {3, 7}).make(1);
    const auto wanted = find_tensor_values(certify::certify(c).tensors, "grad_gate");
    for (const Style& style : {Style{}, Style{.divide = true}, Style{.from_y = true}}) {
      const auto got = find_tensor_values(run(c, {}, style), "grad_gate");
      ASSERT_EQ(got.size(), wanted.size()) << function;
      for (std::size_t i = 0; i < got.size(); ++i)
        EXPECT_NEAR(got[i], wanted[i], 0x1p-48 * (1 + std::fabs(wanted[i]))) << function;
    }
  }
}

TEST(PlainFunctions, MutationsOfAGateChangeTheOutput) {
  const Case c = plain_recipe("swiglu", {1, 2})
                     .x([](std::size_t i, double) { return i == 0 ? 0.0 : 40.0; })
                     .gate([](std::size_t i, double) { return i == 0 ? 40.0 : -40.0; })
                     .grad_y([](auto, double) { return 2.0; })
                     .make(1);
  const auto y = [&](const Mutation& mutation) {
    return find_tensor_values(run(c, mutation), "y");
  };
  EXPECT_THAT(y({}), ElementsAre(0, -1600));
  EXPECT_THAT(y({"gate", MutationOperator::drop}), ElementsAre(0, 40));
  EXPECT_THAT(y({"operand of the activation", MutationOperator::other}),
              ElementsAre(0, DoubleEq(40 * -40 * std::exp(-40.0))));
  EXPECT_THAT(y({"argument of s(x)", MutationOperator::other}),
              ElementsAre(0, DoubleEq(-1600 * std::exp(-40.0))));
  const auto gradient = [&](const char* name, const Mutation& mutation) {
    return find_tensor_values(run(c, mutation), name);
  };
  EXPECT_THAT(gradient("grad_x", {}), ElementsAre(40, -80));
  EXPECT_THAT(gradient("grad_x", {"gate in grad_x", MutationOperator::drop}), ElementsAre(1, 2));
  EXPECT_THAT(gradient("grad_x", {"derivative of the activation", MutationOperator::other}),
              ElementsAre(0, -3200));
  EXPECT_THAT(gradient("grad_gate", {"a(x) in grad_gate", MutationOperator::drop}),
              ElementsAre(2, 2));
}

TEST(PlainFunctions, SigmoidThatDividesInfinityByInfinityIsNaN) {
  const Case c =
      plain_recipe("silu", {1, 2}, DType::float32).x([](auto, double) { return 100.0; }).make(1);
  EXPECT_THAT(find_tensor_values(run(c), "y"), ElementsAre(100, 100));
  EXPECT_TRUE(std::isnan(
      find_tensor_values(run(c, {"formula of s(x)", MutationOperator::overflowing}), "y")[0]));
}

TEST(PlainFunctions, ActivationsOfExponentialsHaveTheMistakesOfTheirFormulas) {
  const auto y_at = [](const char* function, double x, const Mutation& mutation) {
    const Case c =
        plain_recipe(function, {1, 1}, DType::float32).x([=](auto, double) { return x; }).make(1);
    return find_tensor_values(run(c, mutation), "y")[0];
  };
  using enum MutationOperator;
  EXPECT_EQ(y_at("softplus", 100, {}), 100);
  EXPECT_TRUE(std::isinf(y_at("softplus", 100, {"formula of softplus", overflowing})));
  EXPECT_GT(y_at("softplus", -6, {}), 0);
  EXPECT_EQ(y_at("softplus", -6, {"formula of softplus", clip}), 0);
  EXPECT_EQ(y_at("log_sigmoid", -100, {}), -100);
  EXPECT_TRUE(std::isinf(y_at("log_sigmoid", -100, {"formula of y", overflowing})));
  EXPECT_FLOAT_EQ(static_cast<float>(y_at("log_sigmoid", 3, {"formula of y", negate})),
                  -3.0485873f);
  EXPECT_TRUE(std::isnan(y_at("tanh", 50, {"formula of tanh", overflowing})));
  EXPECT_EQ(y_at("tanh", 0.5, {"formula of tanh", square}), 0.5);
  EXPECT_TRUE(std::isnan(y_at("mish", 50, {"formula of mish", overflowing})));
  EXPECT_EQ(y_at("relu_squared", -2, {}), 0);
  EXPECT_EQ(y_at("relu_squared", -2, {"values below 0", other}), 4);
}

TEST(PlainFunctions, SoftplusMayForgetBetaOrItsThreshold) {
  const Case c = plain_recipe("softplus", {1, 1}, DType::float64)
                     .option("beta", "2")
                     .option("threshold", "3")
                     .x([](auto, double) { return 2.0; })
                     .make(1);
  const auto y = [&](const Mutation& mutation) {
    return find_tensor_values(run(c, mutation), "y")[0];
  };
  using enum MutationOperator;
  const double smooth = std::log1p(std::exp(4.0));
  EXPECT_EQ(y({}), 2);
  EXPECT_DOUBLE_EQ(y({"threshold", drop}), smooth / 2);
  EXPECT_DOUBLE_EQ(y({"threshold", other}), smooth / 2);
}

TEST(PlainFunctions, MutationToFloat32ConstantsCausesErrorsOfTheirRounding) {
  for (const auto& [function, site] :
       {std::pair{"gelu", "1/sqrt(2)"}, std::pair{"gelu", "1/sqrt(2 pi)"},
        std::pair{"gelu_tanh", "sqrt(2/pi)"}, std::pair{"gelu_tanh", "0.044715"},
        std::pair{"gelu_tanh", "0.044715 of the slope"}}) {
    const Case c = plain_recipe(function, {3, 7}).make(1);
    const auto right = find_tensor_values(run(c), "grad_x");
    const auto wrong =
        find_tensor_values(run(c, {site, MutationOperator::single_precision}), "grad_x");
    EXPECT_NE(right, wrong) << site;
    // The rounded constant has a relative error of 2^-24. The slope changes by less than that.
    for (std::size_t i = 0; i < right.size(); ++i)
      EXPECT_LE(std::fabs(right[i] - wrong[i]), 0x1p-24) << site;
  }
}

/// Returns the case of a function for a row of two elements.
Case case_of_two_elements(const char* function, double first, double second) {
  return plain_recipe(function, {1, 2})
      .x([=](std::size_t i, double) { return i == 0 ? first : second; })
      .make(1);
}

TEST(PlainFunctions, MutationClipsDifferencesAtAMinimum) {
  const Case far = case_of_two_elements("softmax", 0, -40);
  EXPECT_THAT(find_tensor_values(run(far), "y"), ElementsAre(1, DoubleEq(std::exp(-40))));
  EXPECT_THAT(find_tensor_values(run(far, {"differences", MutationOperator::clip}), "y"),
              ElementsAre(DoubleNear(1, 1e-12), DoubleNear(std::exp(-30), 1e-20)));
  EXPECT_THAT(find_tensor_values(run(far, {"exponentials", MutationOperator::clip}), "y"),
              ElementsAre(DoubleEq(1 / (1 + 1e-7)), DoubleEq(1e-7 / (1 + 1e-7))));
  EXPECT_THAT(find_tensor_values(run(case_of_two_elements("log_softmax", 0, -40),
                                     {"differences", MutationOperator::clip}),
                                 "y"),
              ElementsAre(DoubleNear(0, 1e-12), DoubleNear(-30, 1e-12)));
  // If no element is below the minimum, there is no such mutation.
  Sites sites;
  sites.list();
  const Case near = case_of_two_elements("softmax", 0, -10);
  run_plain_function(near, recipes::inputs_of(near), {}, sites);
  for (const Mutation& mutation : sites.seen())
    EXPECT_NE(mutation.op, MutationOperator::clip) << mutation.site;
}

TEST(PlainFunctions, MutationThatSkipsNaNFindsNoMaximumInARowOfNaN) {
  const Mutation mutation{"largest element", MutationOperator::ignore_nan};
  const Case c = case_of_two_elements("softmax", NAN, NAN);
  EXPECT_TRUE(std::isnan(find_tensor_values(run(c), "y")[0]));
  EXPECT_THAT(find_tensor_values(run(c, mutation), "y"), ElementsAre(0, 0));
  // If the row has another element, NaN reaches the sum.
  EXPECT_TRUE(std::isnan(
      find_tensor_values(run(case_of_two_elements("softmax", NAN, 1), mutation), "y")[1]));
}

TEST(PlainFunctions, MutationStopsTheSumOfAWideRowAfterTheFirstBlock) {
  const Case c = plain_recipe("softmax", {1, 1030}).x([](auto, double) { return 0.0; }).make(1);
  EXPECT_THAT(find_tensor_values(run(c), "y")[0], DoubleEq(1.0 / 1030));
  EXPECT_THAT(
      find_tensor_values(run(c, {"sum of exponentials", MutationOperator::first_1024}), "y")[0],
      DoubleEq(1.0 / 1024));
  EXPECT_THAT(
      find_tensor_values(run(c, {"sum of exponentials", MutationOperator::first_256}), "y")[0],
      DoubleEq(1.0 / 256));
}

TEST(PlainFunctions, MutationsDropAWholeBlockOfASum) {
  const auto first_of = [](std::size_t features, MutationOperator op) {
    const Case c =
        plain_recipe("softmax", {1, features}).x([](auto, double) { return 0.0; }).make(1);
    return find_tensor_values(run(c, {"sum of exponentials", op}), "y")[0];
  };
  for (const MutationOperator op :
       {MutationOperator::forget_block, MutationOperator::forget_first_block,
        MutationOperator::forget_second_block}) {
    EXPECT_THAT(first_of(96, op), DoubleEq(1.0 / 64)) << to_string(op);
    EXPECT_THAT(first_of(97, op), DoubleEq(1.0 / 65)) << to_string(op);
  }
  EXPECT_THAT(first_of(33, MutationOperator::forget_block), DoubleEq(1));
  EXPECT_THAT(first_of(33, MutationOperator::forget_first_block), DoubleEq(1));
  EXPECT_THAT(first_of(64, MutationOperator::forget_second_block), DoubleEq(1.0 / 32));
  EXPECT_THAT(first_of(32, MutationOperator::forget_first_block), DoubleEq(1.0 / 32));
  EXPECT_THAT(first_of(63, MutationOperator::forget_second_block), DoubleEq(1.0 / 63));
}

TEST(PlainFunctions, MutationLeavesTheLastBlockOfRowsUnwritten) {
  const auto zeros_of = [](std::size_t rows) {
    const Case c = plain_recipe("softmax", {rows, 2}).make(1);
    return std::ranges::count(
        find_tensor_values(run(c, {"writing y", MutationOperator::partial_32}), "y"), 0.0);
  };
  EXPECT_EQ(zeros_of(64), 64);
  EXPECT_EQ(zeros_of(65), 2);
  EXPECT_EQ(zeros_of(32), 0);
}

TEST(PlainFunctions, MutationChangesOnlyTheOutputThatItNames) {
  const Case c = plain_recipe("gelu_tanh", {3, 7}).make(1);
  EXPECT_EQ(
      find_tensor_values(run(c), "y"),
      find_tensor_values(run(c, {"derivative of the cubic term", MutationOperator::drop}), "y"));
  EXPECT_NE(find_tensor_values(run(c), "grad_x"),
            find_tensor_values(run(c, {"derivative of the cubic term", MutationOperator::drop}),
                               "grad_x"));
  EXPECT_NE(find_tensor_values(run(c), "y"),
            find_tensor_values(run(c, {"formula of the gate", MutationOperator::other}), "y"));
}

}  // namespace
}  // namespace normproof::verification::golden::plain
