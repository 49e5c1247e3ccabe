#include "ref/norm/gated_rms_norm.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ref/norm/rms_norm.hpp"
#include "ref/ops/activation.hpp"
#include "tests/ref/numeric/special_values.hpp"
#include "tests/ref/ops/lenses.hpp"

namespace normproof::ref::norm {
namespace {

using model::GateActivation;
using model::GatedRMSNormOptions;
using model::GatePosition;
using numeric::contract_message;
using numeric::oracle100;
using numeric::oracle50;
using numeric::running_error;
using ops::convert_elements;
using ops::random_tensor;
using tensor::Shape;

/// Every formula, each with a number of groups.
std::vector<GatedRMSNormOptions> formulas(std::int64_t groups) {
  std::vector<GatedRMSNormOptions> all;
  for (const GatePosition position : {GatePosition::after, GatePosition::before})
    for (const GateActivation activation : {GateActivation::silu, GateActivation::sigmoid})
      all.push_back({.eps = 0.25,
                     .gate_position = position,
                     .gate_activation = activation,
                     .groups = groups});
  return all;
}

GatedRMSNormInputs<double> random_inputs(const Shape& shape) {
  const Shape features = {shape.back()};
  return {random_tensor(shape, "x", 2),
          random_tensor(shape, "gate", 2),
          {random_tensor(features, "gamma", 1.5), random_tensor(features, "beta")}};
}
template <class T>
GatedRMSNormInputs<T> convert_inputs(const GatedRMSNormInputs<double>& in) {
  return {convert_elements<T>(in.x),
          convert_elements<T>(in.gate),
          {convert_elements<T>(in.affine.gamma), convert_elements<T>(in.affine.beta)}};
}

/// The output at 100 digits, computed from the definition without code of ref/norm.
Tensor<oracle100> exact_y(const GatedRMSNormInputs<oracle100>& in, const GatedRMSNormOptions& o) {
  const std::size_t width = in.affine.gamma.size();
  const std::size_t group = width / static_cast<std::size_t>(o.groups);
  Tensor<oracle100> y = in.x;
  for (std::size_t first = 0; first < y.size(); first += group) {
    std::vector<oracle100> v, a;
    oracle100 square = 0;
    for (std::size_t i = first; i < first + group; ++i) {
      const oracle100 z = in.gate.data()[i], s = 1 / (1 + numeric::mp::exp(oracle100(-z)));
      a.push_back(o.gate_activation == GateActivation::silu ? oracle100(z * s) : s);
      v.push_back(o.gate_position == GatePosition::before ? oracle100(in.x.data()[i] * a.back())
                                                          : in.x.data()[i]);
      square += v.back() * v.back();
    }
    const oracle100 mean = square / static_cast<double>(group);
    const oracle100 root = numeric::mp::sqrt(oracle100(mean + oracle100(o.eps)));
    for (std::size_t k = 0; k < group; ++k) {
      const std::size_t d = (first + k) % width;
      y.data()[first + k] = in.affine.gamma.data()[d] * v[k] / root + in.affine.beta.data()[d];
      if (o.gate_position == GatePosition::after) y.data()[first + k] *= a[k];
    }
  }
  return y;
}

/// Returns the difference quotients of the definition with respect to the elements of `varied`,
/// which belongs to `in`, for the loss sum(grad_y y).
Tensor<oracle100> quotients(GatedRMSNormInputs<oracle100>& in, Tensor<oracle100>& varied,
                            const Tensor<double>& grad_y, const GatedRMSNormOptions& o) {
  const oracle100 h("1e-30");  // a quotient is off by 1e-60
  Tensor<oracle100> slopes = varied;
  for (std::size_t i = 0; i < varied.size(); ++i) {
    const oracle100 at = varied.data()[i];
    varied.data()[i] = at + h;
    const Tensor<oracle100> up = exact_y(in, o);
    varied.data()[i] = at - h;
    const Tensor<oracle100> down = exact_y(in, o);
    varied.data()[i] = at;
    slopes.data()[i] = 0;
    for (std::size_t k = 0; k < up.size(); ++k)
      slopes.data()[i] += oracle100(grad_y.data()[k]) * (up.data()[k] - down.data()[k]) / (2 * h);
  }
  return slopes;
}

class GatedRMSNormTest : public ::testing::Test {
 protected:
  void TearDown() override { ops::restore_default_settings(); }
};

TEST_F(GatedRMSNormTest, MatchesHandComputedValues) {
  // A gate of 0 has the sigmoid 1/2, whose derivative is 1/4. The mean of squares of (1, 7) is 25,
  // and that of (3, 3) is 9.
  const GatedRMSNormInputs<double> in{{{1, 7, 3, 3}}, {{0, 0, 0, 0}}, {{2, 4, 1, 1}, {}}};
  const GatedRMSNormOptions after{
      .eps = 0, .gate_activation = GateActivation::sigmoid, .groups = 2};
  EXPECT_BITS_EQ(gated_rms_norm(in, after), (Tensor<double>{{0.2, 2 * (7 * 0.2), 0.5, 0.5}}));
  const auto gradients = gated_rms_norm_backward({{2, 0, 2, 2}}, in, after);
  // grad_y gamma x_hat / 4, and grad_y x_hat / 2.
  EXPECT_BITS_EQ(gradients.gate, (Tensor<double>{{2 * 0.4 / 4, 0, 0.5, 0.5}}));
  EXPECT_BITS_EQ(gradients.gamma, (Tensor<double>{0.2, 0, 1, 1}));
  EXPECT_BITS_EQ(gradients.beta, (Tensor<double>{1, 0, 1, 1}));
  // A group of equal elements has y = 1 for each x, so its derivative is 0.
  EXPECT_EQ(gradients.x.data()[2], 0);
  EXPECT_EQ(gradients.x.data()[3], 0);
  // Before the norm, a gate that is the same for all features has no effect without eps.
  GatedRMSNormOptions before = after;
  before.gate_position = GatePosition::before;
  EXPECT_BITS_EQ(gated_rms_norm(in, before), (Tensor<double>{{0.4, 4 * (3.5 * 0.4), 1, 1}}));
}

/// With a sigmoid of 1 and one group, the function is rms_norm.
TEST_F(GatedRMSNormTest, EqualsRMSNormIfTheGateIsOpen) {
  GatedRMSNormInputs<double> in = random_inputs({7, 66});
  for (double& z : in.gate) z = 50;
  const Tensor<double> grad_y = random_tensor({7, 66}, "g");
  for (const GatePosition position : {GatePosition::after, GatePosition::before}) {
    const GatedRMSNormOptions o{
        .eps = 0.125, .gate_position = position, .gate_activation = GateActivation::sigmoid};
    const auto plain = rms_norm(in.x, in.affine, {.eps = 0.125});
    EXPECT_BITS_EQ(gated_rms_norm(in, o), plain.y);
    const auto expected = rms_norm_backward(grad_y, in.x, in.affine, plain.saved);
    const auto gradients = gated_rms_norm_backward(grad_y, in, o);
    EXPECT_BITS_EQ(gradients.x, expected.grad_x);
    EXPECT_BITS_EQ(gradients.gamma, expected.grad_gamma);
    EXPECT_BITS_EQ(gradients.beta, expected.grad_beta);
  }
}

/// Each group has the bits of a row of its own.
TEST_F(GatedRMSNormTest, GroupsAreIndependentRows) {
  for (const GatedRMSNormOptions& o : formulas(4)) {
    GatedRMSNormInputs<double> in = random_inputs({5, 4 * 33});
    in.affine = {};
    GatedRMSNormInputs<double> rows{tensor::empty_tensor<double>({20, 33}),
                                    tensor::empty_tensor<double>({20, 33})};
    std::copy_n(in.x.data(), in.x.size(), rows.x.data());
    std::copy_n(in.gate.data(), in.gate.size(), rows.gate.data());
    GatedRMSNormOptions one = o;
    one.groups = 1;
    const Tensor<double> y = gated_rms_norm(in, o), expected = gated_rms_norm(rows, one);
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_BITS_EQ(y.data()[i], expected.data()[i]);
  }
}

TEST_F(GatedRMSNormTest, FollowsTheOrderOfTheSpecification) {
  constexpr std::size_t kRows = 40, kWidth = 2 * 37;
  for (const GatedRMSNormOptions& o : formulas(2)) {
    const GatedRMSNormInputs<double> in = random_inputs({kRows, kWidth});
    const Tensor<double> grad_y = random_tensor({kRows, kWidth}, "g");
    const Tensor<double> y = gated_rms_norm(in, o);
    const auto gradients = gated_rms_norm_backward(grad_y, in, o);
    const Tensor<double> a =
        o.gate_activation == GateActivation::silu ? ops::silu(in.gate) : ops::sigmoid(in.gate);
    const bool before = o.gate_position == GatePosition::before;
    std::vector<double> hat(y.size()), t(y.size());
    for (std::size_t first = 0; first < y.size(); first += kWidth / 2) {
      std::vector<double> v, squares, products;
      for (std::size_t i = first; i < first + kWidth / 2; ++i) {
        v.push_back(before ? in.x.data()[i] * a.data()[i] : in.x.data()[i]);
        squares.push_back(v.back() * v.back());
      }
      const double rstd = 1 / std::sqrt(ops::sum_in_32_lanes(squares) / (kWidth / 2) + o.eps);
      for (std::size_t i = first; i < first + kWidth / 2; ++i) {
        const double gamma = in.affine.gamma.data()[i % kWidth];
        hat[i] = v[i - first] * rstd;
        t[i] = before ? grad_y.data()[i] : grad_y.data()[i] * a.data()[i];
        const double norm = gamma * hat[i] + in.affine.beta.data()[i % kWidth];
        EXPECT_BITS_EQ(y.data()[i], before ? norm : norm * a.data()[i]);
        products.push_back(gamma * t[i] * hat[i]);
      }
      const double c = ops::sum_in_32_lanes(products) / (kWidth / 2);
      for (std::size_t i = first; i < first + kWidth / 2; ++i) {
        const double g = in.affine.gamma.data()[i % kWidth] * t[i];
        const double grad_v = (g - hat[i] * c) * rstd;
        EXPECT_BITS_EQ(gradients.x.data()[i], before ? grad_v * a.data()[i] : grad_v);
      }
    }
    for (std::size_t d = 0; d < kWidth; ++d) {
      std::vector<double> terms, upstream;
      for (std::size_t row = 0; row < kRows; ++row) {
        terms.push_back(t[row * kWidth + d] * hat[row * kWidth + d]);
        upstream.push_back(t[row * kWidth + d]);
      }
      EXPECT_BITS_EQ(gradients.gamma.data()[d], ops::sum_in_32_lanes(terms));
      EXPECT_BITS_EQ(gradients.beta.data()[d], ops::sum_in_32_lanes(upstream));
    }
  }
}

TEST_F(GatedRMSNormTest, GivesTheSameBitsOnEveryInstructionSetAndThreadCount) {
  for (const Shape& shape : {Shape{1, 2}, Shape{6}, Shape{7, 34}, Shape{3, 2, 66}, Shape{300, 700}})
    for (const GatedRMSNormOptions& o : formulas(2)) {
      const GatedRMSNormInputs<double> in = random_inputs(shape);
      const Tensor<double> grad_y = random_tensor(shape, "g");
      ops::expect_same_on_every_machine_setting([&] { return gated_rms_norm(in, o); });
      ops::expect_same_on_every_machine_setting(
          [&] { return gated_rms_norm_backward(grad_y, in, o).x; });
      ops::expect_same_on_every_machine_setting(
          [&] { return gated_rms_norm_backward(grad_y, in, o).gate; });
      ops::expect_same_on_every_machine_setting(
          [&] { return gated_rms_norm_backward(grad_y, in, o).gamma; });
    }
}

TEST_F(GatedRMSNormTest, DoubleResultsAgreeWithTheDefinitionAndItsDifferenceQuotients) {
  const Shape shape = {2, 6};
  for (const std::int64_t groups : {1, 2, 3, 6})
    for (const GatedRMSNormOptions& o : formulas(groups)) {
      SCOPED_TRACE(groups);
      const GatedRMSNormInputs<double> in = random_inputs(shape);
      const Tensor<double> grad_y = random_tensor(shape, "g");
      auto exact = convert_inputs<oracle100>(in);
      const auto bounded = convert_inputs<running_error>(in);
      const auto y = gated_rms_norm(bounded, o);
      EXPECT_WITHIN(ops::compare(y, exact_y(exact, o)));
      EXPECT_BITS_EQ(gated_rms_norm(in, o), ops::values(y));
      const auto gradients =
          gated_rms_norm_backward(convert_elements<running_error>(grad_y), bounded, o);
      EXPECT_WITHIN(ops::compare(gradients.x, quotients(exact, exact.x, grad_y, o)));
      EXPECT_WITHIN(ops::compare(gradients.gate, quotients(exact, exact.gate, grad_y, o)));
      EXPECT_WITHIN(ops::compare(gradients.gamma, quotients(exact, exact.affine.gamma, grad_y, o)));
      EXPECT_WITHIN(ops::compare(gradients.beta, quotients(exact, exact.affine.beta, grad_y, o)));
      EXPECT_BITS_EQ(gated_rms_norm_backward(grad_y, in, o).gate, ops::values(gradients.gate));
    }
}

TEST_F(GatedRMSNormTest, IntervalAndBallResultsContainTheExactValues) {
  using numeric::ball;
  using numeric::interval;
  for (const GatedRMSNormOptions& o : formulas(3)) {
    const GatedRMSNormInputs<double> in = random_inputs({4, 36});
    const Tensor<oracle100> expected = exact_y(convert_inputs<oracle100>(in), o);
    ops::expect_encloses(gated_rms_norm(convert_inputs<interval>(in), o), expected);
    ops::expect_encloses(gated_rms_norm(convert_inputs<ball>(in), o), expected);
  }
}

TEST_F(GatedRMSNormTest, BackwardIsTheDerivative) {
  const Shape shape = {3, 4};
  for (const GatedRMSNormOptions& o : formulas(2)) {
    const GatedRMSNormInputs<double> in = random_inputs(shape);
    const Tensor<double> grad_y = random_tensor(shape, "g");
    const auto gradients = gated_rms_norm_backward(convert_elements<oracle50>(grad_y),
                                                   convert_inputs<oracle50>(in), o);
    const auto bound = gated_rms_norm_backward(convert_elements<running_error>(grad_y),
                                               convert_inputs<running_error>(in), o);
    const auto expect = [&](auto assign, const Tensor<double>& at, const Tensor<oracle50>& gradient,
                            const Tensor<running_error>& error) {
      ops::expect_derivative(
          [&]<class S>(const Tensor<S>& varied) {
            GatedRMSNormInputs<S> inputs = convert_inputs<S>(in);
            assign(inputs, varied);
            return gated_rms_norm(inputs, o);
          },
          at, grad_y, gradient, error);
    };
    expect([](auto& inputs, const auto& x) { inputs.x = x; }, in.x, gradients.x, bound.x);
    expect([](auto& inputs, const auto& gate) { inputs.gate = gate; }, in.gate, gradients.gate,
           bound.gate);
    expect([](auto& inputs, const auto& gamma) { inputs.affine.gamma = gamma; }, in.affine.gamma,
           gradients.gamma, bound.gamma);
    expect([](auto& inputs, const auto& beta) { inputs.affine.beta = beta; }, in.affine.beta,
           gradients.beta, bound.beta);
  }
}

TEST_F(GatedRMSNormTest, C1_RejectsEmptyExtentsAndGatesOfAnotherShape) {
  EXPECT_EQ(contract_message([] {
              gated_rms_norm<double>({tensor::empty_tensor<double>({3, 0}), {}});
            }),
            "gated_rms_norm: x has shape [3, 0]; expected [..., D] with every extent at least 1 "
            "(C1)");
  EXPECT_EQ(contract_message([] {
              gated_rms_norm<double>({{{1, 2}}, {1, 2}});
            }),
            "gated_rms_norm: gate has shape [2]; expected shape [1, 2] (C1)");
}

TEST_F(GatedRMSNormTest, C2_RejectsNegativeEpsAndZeroGroupsWithoutEps) {
  EXPECT_EQ(contract_message([] {
              gated_rms_norm<double>({{{1, 2}}, {{1, 2}}}, {.eps = -1});
            }),
            "gated_rms_norm: eps is -1; expected eps >= 0 (C2)");
  EXPECT_EQ(contract_message([] {
              gated_rms_norm<double>({{{1, 0}}, {{1, 2}}}, {.eps = 0, .groups = 2});
            }),
            "gated_rms_norm: x makes rstd at [1] = inf; expected values so small that sums of "
            "their squares stay finite, and eps > 0 where they vanish (C2)");
}

TEST_F(GatedRMSNormTest, C3_RejectsParametersOfAnotherShape) {
  EXPECT_EQ(contract_message([] {
              gated_rms_norm<double>({{{1, 2}}, {{1, 2}}, {{1, 2, 3}, {}}});
            }),
            "gated_rms_norm: gamma has shape [3]; expected shape [2] (C3)");
}

TEST_F(GatedRMSNormTest, C4_RejectsValuesThatAreNotFiniteOrOverflow) {
  EXPECT_EQ(contract_message([] {
              gated_rms_norm<double>({{{1, 2}}, {{1, numeric::kNaN}}});
            }),
            "gated_rms_norm: gate has the element [0, 1] = nan; expected finite values (C4)");
  EXPECT_EQ(contract_message([] {
              gated_rms_norm<double>({{{1e200, 1}}, {{1, 1}}});
            }),
            "gated_rms_norm: x makes rstd at [0] vanish; expected values so small that sums of "
            "their squares stay finite (C4)");
}

TEST_F(GatedRMSNormTest, C5_RejectsGradientsOfAnotherShape) {
  EXPECT_EQ(contract_message([] {
              gated_rms_norm_backward(tensor::full_tensor<double>({1, 1}, 1), {{{1, 2}}, {{1, 2}}});
            }),
            "gated_rms_norm_backward: grad_y has shape [1, 1]; expected shape [1, 2] (C5)");
}

TEST_F(GatedRMSNormTest, C7_RejectsGradientsThatAreNotFiniteOrOverflow) {
  EXPECT_EQ(contract_message([] {
              gated_rms_norm_backward<double>({{1, numeric::kNaN}}, {{{1, 2}}, {{1, 2}}});
            }),
            "gated_rms_norm_backward: grad_y has the element [0, 1] = nan; expected finite values "
            "(C7)");
}

TEST_F(GatedRMSNormTest, C11_RejectsGroupsThatDoNotDivideTheFeatures) {
  for (const std::int64_t groups : {0, 2, 4})
    EXPECT_EQ(contract_message([&] {
                gated_rms_norm<double>({{{1, 2, 3}}, {{1, 2, 3}}}, {.groups = groups});
              }),
              "gated_rms_norm: groups is " + std::to_string(groups) +
                  "; expected a divisor of D = 3 (C11)");
}

}  // namespace
}  // namespace normproof::ref::norm
