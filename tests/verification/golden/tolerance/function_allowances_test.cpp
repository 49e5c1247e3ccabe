#include "verification/golden/tolerance/function_allowances.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/gate/check.hpp"
#include "verification/golden/plain/plain_layers.hpp"
#include "verification/golden/recipes/case_inputs.hpp"

namespace normproof::verification::golden::tolerance {

using mutations::Sites;
using plain::run_plain;
namespace {

using gate::check_case;
using ::testing::Each;
using ::testing::ElementsAre;

/// Returns the amounts that the allowances add to bounds of 0 for y and grad_x.
ref::tensor::NamedTensors<double> compute_allowances(const Case& c, Accumulation accumulation) {
  const checks::evaluation::EvalInputs inputs = inputs_of(c, case_folder(c));
  const auto outputs = checks::evaluation::run_operation<double>(c.options, inputs, c.sequence);
  ref::tensor::NamedTensors<double> bound;
  for (const auto& [name, values] : outputs) {
    auto zeros = ref::tensor::empty_tensor<double>(ref::tensor::shape_of(values));
    std::fill_n(zeros.data(), zeros.size(), 0.0);
    bound.set(name, std::move(zeros));
  }
  add_function_allowances(c, inputs.function, outputs, accumulation, Formula::two_pass, bound);
  return bound;
}

std::vector<double> measure_grad_x_allowance(const Case& c, Accumulation accumulation) {
  const auto bound = compute_allowances(c, accumulation).at("grad_x");
  return {bound.data(), bound.data() + bound.size()};
}

Case case_of_two_halves(const char* function, DType dtype) {
  return plain_recipe(function, {1, 2}, dtype)
      .x([](auto, double) { return 3.0; })
      .grad_y([](std::size_t i, double) { return i == 0 ? 4.0 : 0.0; })
      .make(1);
}

TEST(FunctionAllowances, CoverSoftmaxBackwardThatReadsTheStoredY) {
  // Each y is 1/2 with an error of u/2. So the sum of grad_y y has an error of 2 u, and grad_x has
  // the error `(u/2) |4 - 2| + (1/2) 2 u`.
  const double u = 0x1p-8;
  const auto added = measure_grad_x_allowance(case_of_two_halves("softmax", DType::bfloat16),
                                              Accumulation::float32);
  ASSERT_EQ(added.size(), 2u);
  for (const double amount : added) {
    EXPECT_GE(amount, 2 * u);
    EXPECT_LE(amount, 2.01 * u);
  }
}

TEST(FunctionAllowances, CoverL2NormBackwardThatReadsTheStoredY) {
  // For x = (3, 3) and eps = 1e-6, rstd r is 1/sqrt(18). Each y is 1/sqrt(2) with an error of
  // u/sqrt(2). The sum of grad_y y is 4/sqrt(2) with an error of 4 u/sqrt(2). So grad_x has the
  // error `r (2 u + 2 u)`.
  const double u = 0x1p-8, expected = 4 * u / std::sqrt(18.0);
  const auto added = measure_grad_x_allowance(case_of_two_halves("l2_norm", DType::bfloat16),
                                              Accumulation::float32);
  ASSERT_EQ(added.size(), 2u);
  for (const double amount : added) {
    EXPECT_GE(amount, expected);
    EXPECT_LE(amount, 1.02 * expected);
  }
}

TEST(FunctionAllowances, CoverOtherOrdersOfOperationsInTheL2NormBackward) {
  const double u = 0x1p-24;
  for (const double amount : measure_grad_x_allowance(case_of_two_halves("l2_norm", DType::float32),
                                                      Accumulation::float32)) {
    EXPECT_GE(amount, 32 * u / std::sqrt(18.0));
    EXPECT_LE(amount, 100 * u / std::sqrt(18.0));
  }
}

TEST(FunctionAllowances, AreZeroIfStorageDoesNotRound) {
  for (const char* function : {"softmax", "log_softmax"})
    EXPECT_THAT(measure_grad_x_allowance(case_of_two_halves(function, DType::float32),
                                         Accumulation::float32),
                Each(0.0));
  EXPECT_THAT(measure_grad_x_allowance(case_of_two_halves("softmax", DType::bfloat16),
                                       Accumulation::bfloat16),
              Each(0.0));
  EXPECT_THAT(
      measure_grad_x_allowance(case_of_two_halves("gelu", DType::bfloat16), Accumulation::float32),
      Each(0.0));
}

TEST(FunctionAllowances, AreZeroForMaskedElements) {
  for (const char* function : {"softmax", "log_sum_exp"}) {
    const auto added = measure_grad_x_allowance(plain_recipe(function, {1, 3}, DType::bfloat16)
                                                    .masked([](std::size_t i) { return i == 1; })
                                                    .make(1),
                                                Accumulation::float32);
    EXPECT_GT(added[0], 0) << function;
    EXPECT_EQ(added[1], 0) << function;
  }
}

TEST(FunctionAllowances, AllowGeluTanhToCancelInProportionToX) {
  const Case c = plain_recipe("gelu_tanh", {1, 2})
                     .x([](std::size_t i, double) { return i == 0 ? -4.0 : 0.0; })
                     .make(1);
  const auto bound = compute_allowances(c, Accumulation::float64).at("y");
  EXPECT_THAT(std::vector<double>(bound.data(), bound.data() + 2), ElementsAre(0x1p-49, 0));
}

TEST(FunctionAllowances, AllowASigmoidOfZeroIfItsExponentialOverflows) {
  const Case c = plain_recipe("silu", {1, 3}, DType::float32)
                     .x([](std::size_t i, double) { return i == 0   ? -90.0
                                                           : i == 1 ? -80.0
                                                                    : 4.0; })
                     .grad_y([](auto, double) { return 2.0; })
                     .make(1);
  const auto bound = compute_allowances(c, Accumulation::float32);
  const auto& y = bound.at("y");
  const auto& grad_x = bound.at("grad_x");
  EXPECT_THAT(std::vector<double>(y.data(), y.data() + 3),
              ElementsAre(testing::DoubleEq(90 * std::exp(-90.0)), 0, 0));
  EXPECT_THAT(std::vector<double>(grad_x.data(), grad_x.data() + 3),
              ElementsAre(testing::DoubleEq(182 * std::exp(-90.0)), 0, 80 * 0x1p-24));
}

/// A candidate that stores intermediate products must be within the bound with the allowance, but
/// not within the bound without it. If the gate is a power of two, the allowance is 0.
TEST(FunctionAllowances, CoverIntermediateProductsStoredIn16Bits) {
  for (const char* function : {"swiglu", "geglu"})
    for (const DType dtype : {DType::bfloat16, DType::float16}) {
      const Case c = plain_recipe(function, {9, 12}, dtype).make(1);
      const StoredCase stored = certified(c);
      Sites sites;
      const auto answer = run_plain(c, recipes::inputs_of(c), {.from_y = true}, sites);
      Tolerance bounds = derive_tolerance(c, Accumulation::float32);
      EXPECT_TRUE(check_case(stored, answer, {}, bounds).passed()) << function;
      const auto added = compute_allowances(c, Accumulation::float32);
      for (const auto& [name, values] : added)
        for (std::size_t i = 0; i < values.size(); ++i)
          bounds.bound.at(name).data()[i] -= values.data()[i];
      EXPECT_FALSE(check_case(stored, answer, {}, bounds).passed()) << function;
    }
  const Case powers = plain_recipe("geglu", {1, 2}, DType::bfloat16)
                          .x([](auto, double) { return 3.0; })
                          .gate([](auto, double) { return -0.25; })
                          .make(1);
  const auto bound = compute_allowances(powers, Accumulation::float32).at("y");
  EXPECT_LT(bound.data()[0], std::numeric_limits<float>::min());  // only underflow is allowed
}

/// With beta, a candidate may also store the sum of gate and beta.
TEST(FunctionAllowances, CoverTheSumWithBetaStoredIn16Bits) {
  for (const DType dtype : {DType::bfloat16, DType::float16}) {
    const Case c = plain_recipe("swiglu", {9, 12}, dtype)
                       .option("limit", "2")
                       .option("alpha", "1.702")
                       .option("beta", "1")
                       .make(1);
    const StoredCase stored = certified(c);
    Sites sites;
    const auto answer = run_plain(c, recipes::inputs_of(c), {.from_y = true}, sites);
    EXPECT_TRUE(
        check_case(stored, answer, {}, derive_tolerance(c, Accumulation::float32)).passed());
  }
  // The sum 2.25 + 1 times the activation 3 (silu(3) is near it): two roundings of y instead of
  // one.
  const auto allowance = [](const char* beta) {
    const Case c = plain_recipe("swiglu", {1, 1}, DType::bfloat16)
                       .option("beta", beta)
                       .x([](auto, double) { return 3.0; })
                       .gate([](auto, double) { return 2.25; })
                       .make(1);
    return compute_allowances(c, Accumulation::float32).at("y").data()[0];
  };
  EXPECT_NEAR(allowance("1") / allowance("0"), 2 * 3.25 / 2.25, 1e-5);
}

/// The allowance of a sigmoid whose exponential overflows follows the argument alpha min(x, limit).
TEST(FunctionAllowances, OfTheSigmoidFollowAlphaAndTheLimit) {
  const auto allowances = [](const char* limit, double x) {
    return compute_allowances(plain_recipe("swiglu", {1, 1}, DType::float32)
                                  .option("limit", limit)
                                  .option("alpha", "3")
                                  .x([=](auto, double) { return x; })
                                  .gate([](auto, double) { return 2.0; })
                                  .grad_y([](auto, double) { return 1.0; })
                                  .make(1),
                              Accumulation::float32);
  };
  const auto low = allowances("none", -30);
  EXPECT_DOUBLE_EQ(low.at("y").data()[0], 2 * 30 * std::exp(-90.0));
  EXPECT_DOUBLE_EQ(low.at("grad_x").data()[0], 2 * 91 * std::exp(-90.0));
  EXPECT_DOUBLE_EQ(low.at("grad_gate").data()[0], 30 * std::exp(-90.0));
  EXPECT_DOUBLE_EQ(allowances("4", 3.5).at("grad_x").data()[0], 2 * 10 * 10.5 * 0x1p-24);
  EXPECT_EQ(allowances("4", 5).at("grad_x").data()[0], 0);
}

/// At the limit itself, a gradient from 0 to that of the reference is accepted, and nowhere else.
TEST(FunctionAllowances, AcceptAnyGradientAtTheLimitItself) {
  const Case c = plain_recipe("swiglu", {1, 4})
                     .option("limit", "2")
                     .x([](std::size_t i, double) { return i == 0 ? 2.0 : 1.0; })
                     .gate([](std::size_t i, double) { return i == 1   ? -2.0
                                                              : i == 2 ? 2.0
                                                                       : 1.0; })
                     .grad_y([](auto, double) { return 1.0; })
                     .make(1);
  const auto exact = certified(c).expected;
  const auto bound = derive_tolerance(c, Accumulation::float64).bound;
  const auto is_zero_accepted = [&](const char* name, std::size_t i) {
    return std::fabs(find_tensor_values(exact, name)[i]) <= bound.at(name).data()[i];
  };
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(is_zero_accepted("grad_x", i), i == 0) << i;
    EXPECT_EQ(is_zero_accepted("grad_gate", i), i == 1 || i == 2) << i;
  }
}

/// A backward that uses the stored y must be within the bound with the allowance, but not within
/// the bound without it.
TEST(FunctionAllowances, CoverBackwardPassesFromTheStoredY) {
  for (const char* function : {"softmax", "log_softmax", "log_sum_exp"})
    for (const DType dtype : {DType::bfloat16, DType::float16}) {
      const Case c = plain_recipe(function, {9, 12}, dtype).make(1);
      const StoredCase stored = certified(c);
      Sites sites;
      const auto answer = run_plain(c, recipes::inputs_of(c), {.from_y = true}, sites);
      Tolerance bounds = derive_tolerance(c, Accumulation::float32);
      EXPECT_TRUE(check_case(stored, answer, {}, bounds).passed()) << function;
      const auto added = measure_grad_x_allowance(c, Accumulation::float32);
      for (std::size_t i = 0; i < added.size(); ++i)
        bounds.bound.at("grad_x").data()[i] -= added[i];
      EXPECT_FALSE(check_case(stored, answer, {}, bounds).passed()) << function;
    }
}

}  // namespace
}  // namespace normproof::verification::golden::tolerance
