#include "verification/checks/oracle/gradients.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/checks/compare/expect.hpp"
#include "tests/verification/checks/oracle/lenses.hpp"

namespace normproof::verification::checks::oracle {
namespace {

namespace model = ref::model;
using ref::tensor::full_tensor;

Tensor<oracle100> one(const oracle100& x) {
  return full_tensor<oracle100>({1}, x);
}
checks::compare::Comparison compare_leading_bits(const oracle100& got, const oracle100& expected,
                                                 int bits) {
  return checks::compare::compare(one(got), one(expected),
                                  one(abs(expected) * ldexp(oracle100(1), -bits)));
}

/// The test function `f = (a b - a / b) / sqrt(a + b)`. Its derivatives are computed by hand.
template <class S>
S test_function(const S& a, const S& b) {
  return (a * b - a / b) / root(a + b);
}
const oracle100 kA(0.75);
const oracle100 kB(2.5);
oracle100 derivative_by_a() {
  const oracle100 s = sqrt(oracle100(kA + kB));
  return (kB - 1 / kB) / s - (kA * kB - kA / kB) / (2 * s * s * s);
}
oracle100 derivative_by_b() {
  const oracle100 s = sqrt(oracle100(kA + kB));
  return (kA + kA / (kB * kB)) / s - (kA * kB - kA / kB) / (2 * s * s * s);
}

TEST(OracleGradients, DualNumbersGiveTheDerivative) {
  EXPECT_WITHIN(compare_leading_bits(test_function(Dual(kA, 1), Dual(kB)).derivative,
                                     derivative_by_a(), 325));
  EXPECT_WITHIN(compare_leading_bits(test_function(Dual(kA), Dual(kB, 1)).derivative,
                                     derivative_by_b(), 325));
}

TEST(OracleGradients, ComplexStepGivesTheDerivative) {
  const oracle100 h(0x1p-400);
  EXPECT_WITHIN(compare_leading_bits(test_function(Complex(kA, h), Complex(kB)).im / h,
                                     derivative_by_a(), 325));
  EXPECT_WITHIN(compare_leading_bits(test_function(Complex(kA), Complex(kB, h)).im / h,
                                     derivative_by_b(), 325));
}

TEST(OracleGradients, SquareOfAComplexRootIsItsArgument) {
  const Complex z(oracle100(0.3), oracle100(-1.7));
  const Complex r = root(z);
  const Complex squared = r * r;
  EXPECT_WITHIN(compare_leading_bits(squared.re, z.re, 325));
  EXPECT_WITHIN(compare_leading_bits(squared.im, z.im, 325));
  const Complex quotient = z / r;
  EXPECT_WITHIN(compare_leading_bits(quotient.re, r.re, 325));
  EXPECT_WITHIN(compare_leading_bits(quotient.im, r.im, 325));
}

TEST(OracleGradients, TapeGivesTheDerivative) {
  Tape tape;
  const Variable a = Variable::input(kA, tape);
  const Variable b = Variable::input(kB, tape);
  const Variable f = test_function(a, b);
  std::vector<oracle100> weights(tape.size(), oracle100(0));
  weights[f.node] = 1;
  const auto swept = tape.backpropagate(weights);
  EXPECT_WITHIN(compare_leading_bits(swept[a.node], derivative_by_a(), 325));
  EXPECT_WITHIN(compare_leading_bits(swept[b.node], derivative_by_b(), 325));
}

TEST(OracleGradients, TapeRecordsNoConstants) {
  Tape tape;
  const Variable a = Variable::input(kA, tape);
  const std::size_t before = tape.size();
  const Variable constant = Variable(kA) * Variable(kB) + Variable(kB);
  EXPECT_EQ(constant.tape, nullptr);
  EXPECT_EQ(tape.size(), before);
  EXPECT_EQ((a * constant).tape, &tape);
}

/// The three methods must agree if x spans 300 orders of magnitude, and if x is nearly constant.
TEST(OracleGradients, MethodsAgreeOnHardInputs) {
  const RandomStream random(4, "hard");
  Tensor<double> wide = empty_tensor<double>({1, 4, 3});
  for (std::size_t i = 0; i < wide.size(); ++i)
    wide.data()[i] = std::ldexp(random.uniform(2 * i) - 0.5,
                                static_cast<int>(random.below(2 * i + 1, 900)) - 450);
  const Tensor<double> near_constant = normal("hard", {4, 3}, 1e8, 1e-4);
  for (const auto& x : {wide, near_constant})
    for (const auto& options : options_of_every_layer(3)) {
      const Case c = make_case(options, x, Mode::training, "hard");
      const auto bound = run<running_error>(c);
      const auto reverse = run_oracle(c, Method::reverse);
      EXPECT_TRUE(agrees_with_oracle(run_oracle(c, Method::dual), reverse, bound)) << c.name();
      EXPECT_TRUE(agrees_with_oracle(run_oracle(c, Method::complex_step), reverse, bound))
          << c.name();
    }
}

std::string gradients_error_message(const OracleInputs& inputs) {
  return ref::numeric::contract_message(
      [&] { oracle_gradients(model::LayerNormOptions{}, inputs, {}, Method::dual); });
}

OracleInputs inputs_with_two_rows_of_three() {
  return {.x = full_tensor<oracle100>({2, 3}, 1), .grad_y = full_tensor<oracle100>({2, 3}, 1)};
}

TEST(OracleGradients, C1_RejectsNoRows) {
  OracleInputs inputs = inputs_with_two_rows_of_three();
  inputs.x = full_tensor<oracle100>({0, 3}, 1);
  EXPECT_EQ(gradients_error_message(inputs).substr(0, 27), "oracle: x has shape [0, 3];");
}

TEST(OracleGradients, C3_RejectsAParameterOfTheWrongShape) {
  OracleInputs inputs = inputs_with_two_rows_of_three();
  inputs.gamma = full_tensor<oracle100>({2}, 1);
  EXPECT_EQ(gradients_error_message(inputs),
            "oracle: gamma has shape [2]; expected shape [3] (C3)");
}

TEST(OracleGradients, C4_RejectsANonFiniteElement) {
  const oracle100 infinity = std::numeric_limits<oracle100>::infinity();
  OracleInputs inputs = inputs_with_two_rows_of_three();
  inputs.x(1, 2) = infinity;
  EXPECT_EQ(gradients_error_message(inputs),
            "oracle: x has the element [1, 2] = inf; expected finite values (C4)");
  inputs = inputs_with_two_rows_of_three();
  inputs.beta = full_tensor<oracle100>({3}, infinity);
  EXPECT_EQ(gradients_error_message(inputs),
            "oracle: beta has the element [0] = inf; expected finite values (C4)");
}

TEST(OracleGradients, C5_RejectsAGradientOfTheWrongShape) {
  OracleInputs inputs = inputs_with_two_rows_of_three();
  inputs.grad_y = full_tensor<oracle100>({3, 2}, 1);
  EXPECT_EQ(gradients_error_message(inputs),
            "oracle: grad_y has shape [3, 2]; expected shape [2, 3] (C5)");
}

}  // namespace
}  // namespace normproof::verification::checks::oracle
