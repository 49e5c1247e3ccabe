/// ref's forward on dual numbers gives the derivative that ref's own backward computes; PowerNorm's
/// training backward is no derivative, and is seen not to be one.

#include <gtest/gtest.h>

#include <limits>

#include "tests/verification/oracle/lenses.hpp"
#include "verification/oracle/cells.hpp"

namespace normproof::verification::oracle {
namespace {

namespace model = ref::model;
using ref::numeric::dual;
using ref::numeric::oracle50;
using ref::tensor::convert;

/// d sum(grad_y y) / d t, one forward for each element of t, a member of inputs.
Tensor<oracle100> differentiate(const Case& c, Tensor<dual> NormInputs<dual>::*member) {
  NormInputs<dual> inputs = inputs_as<dual>(c.inputs);
  const auto state = state_as<dual>(c.state);
  inputs.grad_y = Tensor<dual>();
  Tensor<dual>& t = inputs.*member;
  Tensor<oracle100> result = empty_tensor<oracle100>(shape_of(t));
  for (std::size_t i = 0; i < t.size(); ++i) {
    t.data()[i].derivative = 1;
    const auto y = ref::norm::norm_step<dual>(c.options, inputs, state).outputs.at("y");
    t.data()[i].derivative = 0;
    oracle50 sum = 0;
    for (std::size_t j = 0; j < y.size(); ++j)
      sum += oracle50(c.inputs.grad_y.data()[j]) * y.data()[j].derivative;
    result.data()[i] = oracle100(sum);
  }
  return result;
}

compare::Comparison backward_against_dual(const Case& c, const std::string& name,
                                          Tensor<dual> NormInputs<dual>::*member) {
  return compare::compare(
      convert<oracle100>(run<oracle50>(c).outputs.at(name)), differentiate(c, member),
      scaled_bound(run<running_error>(c).outputs.at(name), std::numeric_limits<oracle50>::digits));
}

bool is_approximate(const Case& c) {
  const std::string name = model::norm_name(c.options);
  return c.inputs.mode == Mode::training && (name == "power_norm" || name == "power_norm_released");
}

TEST(DerivativeTest, BackwardIsTheDerivativeOfTheForward) {
  for (const Shape& shape : {Shape{2, 3}, Shape{5, 4}, Shape{2, 3, 2}})
    for (const auto& options : every_layer(shape.back()))
      for (const Mode mode : {Mode::training, Mode::inference})
        for (const bool masked : {false, true}) {
          Case c = make_case(options, normal("dual", shape, 0.5, 2), mode, "dual");
          if (masked && (!heeds_mask(options) || shape.size() != 3)) continue;
          if (masked) c.inputs.valid = mask_of_bits(shape, 0b101011);
          const auto x = backward_against_dual(c, "grad_x", &NormInputs<dual>::x);
          EXPECT_NE(x.passed, is_approximate(c)) << c.name() << " " << x.describe();
          if (!is_absent(c.inputs.gamma)) {
            const auto gamma = backward_against_dual(c, "grad_gamma", &NormInputs<dual>::gamma);
            EXPECT_TRUE(gamma.passed) << c.name() << " " << gamma.describe();
          }
          if (!is_absent(c.inputs.beta)) {
            const auto beta = backward_against_dual(c, "grad_beta", &NormInputs<dual>::beta);
            EXPECT_TRUE(beta.passed) << c.name() << " " << beta.describe();
          }
        }
}

/// With nu = 0 and running statistics as constants, PowerNorm's grad_x is the derivative of its
/// forward: what the approximation leaves out is nu alone.
TEST(DerivativeTest, PowerNormWithoutMemoryIsTheDerivative) {
  Case c = make_case(model::PowerNormOptions{}, normal("memory", {6, 3}, 0.5, 2), Mode::training,
                     "memory");
  c.state.at("nu") = ref::tensor::full_tensor<double>({3}, 0.0);
  const auto x = backward_against_dual(c, "grad_x", &NormInputs<dual>::x);
  EXPECT_TRUE(x.passed) << x.describe();
}

}  // namespace
}  // namespace normproof::verification::oracle
