/// The backward of ref must be the derivative of its forward. The test computes this derivative
/// with dual numbers and with complex numbers. The training backward of PowerNorm is not a
/// derivative, and the test confirms that.

#include <gtest/gtest.h>

#include "tests/verification/checks/compare/expect.hpp"
#include "tests/verification/checks/compare/slope.hpp"
#include "tests/verification/checks/oracle/lenses.hpp"
#include "verification/checks/oracle/cells.hpp"

namespace normproof::verification::checks::oracle {
namespace {

namespace model = ref::model;
using ref::numeric::complex100;
using ref::numeric::dual;
using ref::numeric::oracle50;
using ref::tensor::convert;

/// The input to differentiate by: x, gamma or beta.
struct DifferentiatedInput {
  std::string name;

  template <class S>
  Tensor<S>& operator()(NormInputs<S>& inputs) const {
    return name == "x" ? inputs.x : name == "gamma" ? inputs.gamma : inputs.beta;
  }
};

/// Returns the derivative of `sum(grad_y y)` with respect to the tensor `member` of the inputs.
template <class S>
Tensor<oracle100> differentiate(const Case& c, const DifferentiatedInput& member) {
  NormInputs<S> inputs = convert_norm_inputs<S>(c.inputs);
  const auto state = convert_norm_state<S>(c.state);
  inputs.grad_y = Tensor<S>();
  return checks::compare::slopes(member(inputs), [&] {
    return checks::compare::weighted_sum(
        c.inputs.grad_y, ref::norm::norm_step<S>(c.options, inputs, state).outputs.at("y"));
  });
}

/// Compares the backward with the derivative by dual numbers. First checks that dual numbers and
/// the complex step agree.
checks::compare::Comparison compare_backward_with_derivative(const Case& c,
                                                             const DifferentiatedInput& member) {
  const std::string name = "grad_" + member.name;
  const auto found = convert<oracle100>(run<oracle50>(c).outputs.at(name));
  const auto bound = scaled_bound<oracle50>(run<running_error>(c).outputs.at(name));
  const auto by_duals = differentiate<dual>(c, member);
  const auto by_complex_step = differentiate<complex100>(c, member);
  EXPECT_WITHIN(checks::compare::compare(by_duals, by_complex_step, bound))
      << c.name() << " " << name;
  return checks::compare::compare(found, by_complex_step, bound);
}

bool has_approximate_backward(const Case& c) {
  return c.inputs.mode == Mode::training && !model::norm_layer(c.options).exact_backward;
}

TEST(ReferenceBackward, IsTheDerivativeOfTheForward) {
  for (const Shape& shape : {Shape{2, 3}, Shape{5, 4}, Shape{2, 3, 2}})
    for (const auto& options : options_of_every_layer(shape.back()))
      for (const Mode mode : {Mode::training, Mode::inference})
        for (const bool masked : {false, true}) {
          Case c = make_case(options, normal("dual", shape, 0.5, 2), mode, "dual");
          if (masked && (!uses_mask(options) || shape.size() != 3)) continue;
          if (masked) c.inputs.valid = mask_of_bits(shape, 0b101011);
          const auto x = compare_backward_with_derivative(c, {"x"});
          EXPECT_NE(x.passed, has_approximate_backward(c)) << c.name() << " " << x.describe();
          if (!is_absent(c.inputs.gamma)) {
            const auto gamma = compare_backward_with_derivative(c, {"gamma"});
            EXPECT_TRUE(gamma.passed) << c.name() << " " << gamma.describe();
          }
          if (!is_absent(c.inputs.beta)) {
            const auto beta = compare_backward_with_derivative(c, {"beta"});
            EXPECT_TRUE(beta.passed) << c.name() << " " << beta.describe();
          }
        }
}

/// With nu = 0 and constant running statistics, grad_x of PowerNorm is the derivative of its
/// forward.
TEST(ReferenceBackward, IsTheDerivativeForPowerNormWithoutNu) {
  Case c = make_case(model::PowerNormOptions{}, normal("memory", {6, 3}, 0.5, 2), Mode::training,
                     "memory");
  c.state.at("nu") = ref::tensor::full_tensor<double>({3}, 0.0);
  const auto x = compare_backward_with_derivative(c, {"x"});
  EXPECT_TRUE(x.passed) << x.describe();
}

}  // namespace
}  // namespace normproof::verification::checks::oracle
