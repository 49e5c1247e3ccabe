#include "ref/ops/gated_activation.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <utility>
#include <vector>

#include "tests/ref/numeric/special_values.hpp"
#include "tests/ref/ops/lenses.hpp"

namespace normproof::ref::ops {
namespace {

using numeric::kInfinity;
using numeric::kNaN;

template <class T>
struct GatedActivation {
  std::string name;
  std::function<Tensor<T>(const Tensor<T>&, const Tensor<T>&)> forward;
  std::function<GatedGradients<T>(const Tensor<T>&, const Tensor<T>&, const Tensor<T>&)> backward;
  std::function<Tensor<T>(const Tensor<T>&)> activation;
  std::function<Tensor<T>(const Tensor<T>&, const Tensor<T>&)> activation_backward;
};
template <class T>
std::vector<GatedActivation<T>> gated_activations() {
  const auto forward = [](const Tensor<T>& x, const Tensor<T>& gate) { return swiglu(x, gate); };
  const auto backward = [](const Tensor<T>& grad_y, const Tensor<T>& x, const Tensor<T>& gate) {
    return swiglu_backward(grad_y, x, gate);
  };
  return {{"swiglu", forward, backward, silu<T>, silu_backward<T>},
          {"geglu", geglu<T>, geglu_backward<T>, gelu<T>, gelu_backward<T>}};
}

class GatedActivationTest : public ::testing::Test {
 protected:
  void TearDown() override { restore_default_settings(); }
};

TEST_F(GatedActivationTest, AppliesTheActivationToXButNotToTheGate) {
  // silu(0) = gelu(0) = 0, with slope 1/2; silu(64) and gelu(64) are 64, with slope 1.
  const Tensor<double> x = {0, 64, -800}, gate = {-40, -3, 5}, grad_y = {6, 2, 1};
  for (const auto& f : gated_activations<double>()) {
    SCOPED_TRACE(f.name);
    EXPECT_BITS_EQ(f.forward(x, gate), (Tensor<double>{-0.0, -192, -0.0}));
    const GatedGradients<double> gradients = f.backward(grad_y, x, gate);
    EXPECT_EQ(gradients.x, (Tensor<double>{-120, -6, 0}));
    EXPECT_BITS_EQ(gradients.gate, (Tensor<double>{0, 128, -0.0}));
  }
}

// The expected values follow docs/specification/activations.md operation by operation.
TEST_F(GatedActivationTest, FollowsTheSpecification) {
  for (const std::size_t size : {1u, 7u, 513u}) {
    const Tensor<double> x = random_tensor({size}, "gated", 2),
                         gate = random_tensor({size}, "gate");
    const Tensor<double> g = random_tensor({size}, "gated gradient");
    for (const auto& f : gated_activations<double>()) {
      const Tensor<double> a = f.activation(x), y = f.forward(x, gate);
      const GatedGradients<double> gradients = f.backward(g, x, gate);
      for (std::size_t i = 0; i < size; ++i) {
        EXPECT_BITS_EQ(y(i), a(i) * gate(i)) << f.name;
        EXPECT_BITS_EQ(gradients.gate(i), g(i) * a(i)) << f.name;
        const Tensor<double> gated = {g(i) * gate(i)}, at = {x(i)};
        EXPECT_BITS_EQ(gradients.x(i), f.activation_backward(gated, at)(0)) << f.name;
      }
    }
  }
}

TEST_F(GatedActivationTest, GivesTheSameBitsOnEveryInstructionSetAndThreadCount) {
  for (const Shape& shape : {Shape{}, Shape{0}, Shape{7, 33}, Shape{300, 201}}) {
    const Tensor<double> x = random_tensor(shape, "machine", 2),
                         gate = random_tensor(shape, "gate");
    const Tensor<double> grad_y = random_tensor(shape, "machine gradient");
    for (const auto& f : gated_activations<double>()) {
      SCOPED_TRACE(f.name);
      expect_same_on_every_machine_setting([&] { return f.forward(x, gate); });
      expect_same_on_every_machine_setting([&] { return f.backward(grad_y, x, gate).x; });
      expect_same_on_every_machine_setting([&] { return f.backward(grad_y, x, gate).gate; });
    }
  }
}

// The backward must be the derivative with respect to x and with respect to the gate.
TEST_F(GatedActivationTest, BackwardIsTheDerivative) {
  const auto oracles = gated_activations<oracle50>();
  const auto running = gated_activations<running_error>();
  for (const double scale : {0.01, 1.0, 4.0}) {
    const Shape shape = {2, 3};
    const Tensor<double> x = random_tensor(shape, "derivative", scale);
    const Tensor<double> gate = random_tensor(shape, "derivative gate", 2);
    const Tensor<double> grad_y = random_tensor(shape, "derivative gradient");
    for (std::size_t k = 0; k < oracles.size(); ++k) {
      SCOPED_TRACE(oracles[k].name);
      const auto got =
          oracles[k].backward(convert_elements<oracle50>(grad_y), convert_elements<oracle50>(x),
                              convert_elements<oracle50>(gate));
      const auto bound = running[k].backward(convert_elements<running_error>(grad_y),
                                             convert_elements<running_error>(x),
                                             convert_elements<running_error>(gate));
      expect_derivative(
          [&]<class S>(const Tensor<S>& at) {
            return gated_activations<S>()[k].forward(at, convert_elements<S>(gate));
          },
          x, grad_y, got.x, bound.x);
      expect_derivative(
          [&]<class S>(const Tensor<S>& at) {
            return gated_activations<S>()[k].forward(convert_elements<S>(x), at);
          },
          gate, grad_y, got.gate, bound.gate);
    }
  }
}

TEST_F(GatedActivationTest, IntervalAndBallResultsContainTheResultAtFiftyDigits) {
  const Tensor<double> x = random_tensor({40}, "enclosure", 6), gate = random_tensor({40}, "gate");
  const Tensor<double> grad_y = random_tensor({40}, "enclosure gradient");
  const auto exact = gated_activations<oracle50>();
  const auto expect = [&]<class T>(T) {
    const auto enclosing = gated_activations<T>();
    for (std::size_t k = 0; k < enclosing.size(); ++k) {
      const auto holds = [&](const Tensor<T>& got, const Tensor<oracle50>& values) {
        for (std::size_t i = 0; i < got.size(); ++i) {
          const auto [lower, upper] = numeric::enclose(got(i));
          EXPECT_LE(lower, values(i)) << enclosing[k].name;
          EXPECT_GE(upper, values(i)) << enclosing[k].name;
        }
      };
      const auto [of_x, of_gate] = enclosing[k].backward(
          convert_elements<T>(grad_y), convert_elements<T>(x), convert_elements<T>(gate));
      const auto [true_x, true_gate] =
          exact[k].backward(convert_elements<oracle50>(grad_y), convert_elements<oracle50>(x),
                            convert_elements<oracle50>(gate));
      holds(enclosing[k].forward(convert_elements<T>(x), convert_elements<T>(gate)),
            exact[k].forward(convert_elements<oracle50>(x), convert_elements<oracle50>(gate)));
      holds(of_x, true_x);
      holds(of_gate, true_gate);
    }
  };
  expect(numeric::interval());
  expect(numeric::ball());
}

TEST_F(GatedActivationTest, C1_RejectsGateAndGradYOfWrongShape) {
  const Tensor<double> two = {1, 2}, row = {{1, 2}};
  EXPECT_EQ(contract_message([&] { swiglu(row, two); }),
            "swiglu: gate has shape [2]; expected shape [1, 2] (C1)");
  EXPECT_EQ(contract_message([&] { geglu_backward(two, row, row); }),
            "geglu_backward: grad_y has shape [2]; expected shape [1, 2] (C1)");
}

TEST_F(GatedActivationTest, C2_RejectsNonFiniteElements) {
  const Tensor<double> good = {1, 2};
  for (const auto& f : gated_activations<double>())
    for (const double bad : {kInfinity, -kInfinity, kNaN}) {
      const Tensor<double> wrong = {1, bad};
      const auto message = [&](const std::string& function, const std::string& argument) {
        return function + ": " + argument + " has the element [1] = " + to_text(bad) +
               "; expected finite values (C2)";
      };
      EXPECT_EQ(contract_message([&] { f.forward(wrong, good); }), message(f.name, "x"));
      EXPECT_EQ(contract_message([&] { f.forward(good, wrong); }), message(f.name, "gate"));
      const std::string backward = f.name + "_backward";
      EXPECT_EQ(contract_message([&] { f.backward(wrong, good, good); }),
                message(backward, "grad_y"));
      EXPECT_EQ(contract_message([&] { f.backward(good, wrong, good); }), message(backward, "x"));
      EXPECT_EQ(contract_message([&] { f.backward(good, good, wrong); }),
                message(backward, "gate"));
    }
}

TEST_F(GatedActivationTest, C3_RejectsOverflowOfGradYTimesGate) {
  const Tensor<double> large = {1, 1e300}, x = {1, 2};
  EXPECT_EQ(contract_message([&] { swiglu_backward(large, x, large); }),
            "swiglu_backward: grad_y gate has the element [1] = inf; expected finite values (C3)");
}

constexpr SwigluParameters kLimited = {.limit = 2, .alpha = 1.5, .beta = 1};

// The expected values are computed by hand: sigmoid(0) = 1/2, sigmoid(+-800) = 1 and 0.
TEST_F(GatedActivationTest, LimitsXFromAboveAndTheGateOnBothSides) {
  const SwigluParameters options = {.limit = 3, .alpha = 400, .beta = 0.5};
  const Tensor<double> x = {4, 3, 0, -5, 2, 2, 2, 2}, gate = {1, 1, 1, 1, 9, -9, 3, -3};
  const Tensor<double> ones = {1, 1, 1, 1, 1, 1, 1, 1};
  EXPECT_BITS_EQ(swiglu(x, gate, options), (Tensor<double>{4.5, 4.5, 0, -0.0, 7, -5, 7, -5}));
  const GatedGradients<double> gradients = swiglu_backward(ones, x, gate, options);
  EXPECT_BITS_EQ(gradients.x, (Tensor<double>{0, 1.5, 0.75, 0, 3.5, -2.5, 3.5, -2.5}));
  EXPECT_BITS_EQ(gradients.gate, (Tensor<double>{3, 3, 0, -0.0, 0, 0, 2, 2}));
}

TEST_F(GatedActivationTest, DefaultParametersGiveTheBitsOfTheProduct) {
  const Tensor<double> x = random_tensor({5, 33}, "plain", 3),
                       gate = random_tensor({5, 33}, "gate");
  const Tensor<double> grad_y = random_tensor({5, 33}, "plain gradient");
  EXPECT_BITS_EQ(swiglu(x, gate, {}), swiglu(x, gate));
  const SwigluParameters far = {.limit = 1e300};
  EXPECT_BITS_EQ(swiglu(x, gate, far), swiglu(x, gate));
  const auto limited = swiglu_backward(grad_y, x, gate, far),
             plain = swiglu_backward(grad_y, x, gate);
  EXPECT_BITS_EQ(limited.x, plain.x);
  EXPECT_BITS_EQ(limited.gate, plain.gate);
}

// The expected values follow docs/specification/activations.md operation by operation.
TEST_F(GatedActivationTest, LimitedSwigluFollowsTheSpecification) {
  const Tensor<double> x = random_tensor({513}, "limited", 3),
                       gate = random_tensor({513}, "gate", 3);
  const Tensor<double> g = random_tensor({513}, "limited gradient");
  const Tensor<double> y = swiglu(x, gate, kLimited);
  const GatedGradients<double> gradients = swiglu_backward(g, x, gate, kLimited);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double c = x(i) > 2 ? 2 : x(i);
    const double d = (gate(i) > 2 ? 2 : gate(i) < -2 ? -2 : gate(i)) + 1;
    const Tensor<double> v = {c * 1.5}, gated = {g(i) * d};
    const double a = c * sigmoid(v)(0);
    EXPECT_BITS_EQ(y(i), a * d);
    EXPECT_BITS_EQ(gradients.x(i), x(i) > 2 ? 0 : silu_backward(gated, v)(0));
    EXPECT_BITS_EQ(gradients.gate(i), gate(i) > 2 || gate(i) < -2 ? 0 : g(i) * a);
  }
}

TEST_F(GatedActivationTest, LimitedSwigluGivesTheSameBitsOnEveryInstructionSetAndThreadCount) {
  const Tensor<double> x = random_tensor({300, 201}, "x", 3),
                       gate = random_tensor({300, 201}, "gate", 3);
  const Tensor<double> grad_y = random_tensor({300, 201}, "gradient");
  expect_same_on_every_machine_setting([&] { return swiglu(x, gate, kLimited); });
  expect_same_on_every_machine_setting(
      [&] { return swiglu_backward(grad_y, x, gate, kLimited).x; });
  expect_same_on_every_machine_setting(
      [&] { return swiglu_backward(grad_y, x, gate, kLimited).gate; });
}

TEST_F(GatedActivationTest, BackwardOfLimitedSwigluIsTheDerivative) {
  const Shape shape = {2, 6};
  const Tensor<double> x = random_tensor(shape, "derivative", 3);
  const Tensor<double> gate = random_tensor(shape, "derivative gate", 3);
  const Tensor<double> grad_y = random_tensor(shape, "derivative gradient");
  const auto gradients = [&]<class S>(S) {
    return swiglu_backward(convert_elements<S>(grad_y), convert_elements<S>(x),
                           convert_elements<S>(gate), kLimited);
  };
  const auto got = gradients(oracle50());
  const auto bound = gradients(running_error());
  expect_derivative(
      [&]<class S>(const Tensor<S>& at) { return swiglu(at, convert_elements<S>(gate), kLimited); },
      x, grad_y, got.x, bound.x);
  expect_derivative(
      [&]<class S>(const Tensor<S>& at) { return swiglu(convert_elements<S>(x), at, kLimited); },
      gate, grad_y, got.gate, bound.gate);
}

TEST_F(GatedActivationTest, EnclosuresOfLimitedSwigluContainTheResultAtFiftyDigits) {
  const Tensor<double> x = random_tensor({40}, "enclosure", 3),
                       gate = random_tensor({40}, "gate", 3);
  const Tensor<double> grad_y = random_tensor({40}, "enclosure gradient");
  const auto run = [&]<class S>(S) {
    const auto at = convert_elements<S>(x), by = convert_elements<S>(gate);
    auto gradients = swiglu_backward(convert_elements<S>(grad_y), at, by, kLimited);
    return std::array<Tensor<S>, 3>{swiglu(at, by, kLimited), std::move(gradients.x),
                                    std::move(gradients.gate)};
  };
  const auto exact = run(oracle50());
  const auto expect = [&]<class S>(S) {
    const auto enclosing = run(S());
    for (std::size_t k = 0; k < exact.size(); ++k)
      for (std::size_t i = 0; i < x.size(); ++i) {
        const auto [lower, upper] = numeric::enclose(enclosing[k](i));
        EXPECT_LE(lower, exact[k](i));
        EXPECT_GE(upper, exact[k](i));
      }
  };
  expect(numeric::interval());
  expect(numeric::ball());
}

TEST_F(GatedActivationTest, C4_RejectsParametersOutOfRange) {
  const Tensor<double> one = {1};
  const auto message = [&](const SwigluParameters& options) {
    return contract_message([&] { swiglu(one, one, options); });
  };
  EXPECT_EQ(message({.limit = 0}), "swiglu: limit is 0; expected a number > 0 (C4)");
  EXPECT_EQ(message({.limit = kNaN}), "swiglu: limit is nan; expected a number > 0 (C4)");
  EXPECT_EQ(message({.alpha = -1}), "swiglu: alpha is -1; expected a finite number > 0 (C4)");
  EXPECT_EQ(message({.alpha = kInfinity}),
            "swiglu: alpha is inf; expected a finite number > 0 (C4)");
  EXPECT_EQ(message({.beta = kInfinity}), "swiglu: beta is inf; expected a finite number (C4)");
  EXPECT_EQ(contract_message([&] { swiglu_backward(one, one, one, {.limit = -1}); }),
            "swiglu_backward: limit is -1; expected a number > 0 (C4)");
}

TEST_F(GatedActivationTest, C5_RejectsOverflowOfAlphaTimesX) {
  const Tensor<double> x = {1, 1e300}, gate = {1, 1};
  EXPECT_EQ(contract_message([&] { swiglu(x, gate, {.alpha = 1e10}); }),
            "swiglu: alpha x has the element [1] = inf; expected finite values (C5)");
  EXPECT_NO_THROW(swiglu(x, gate, {.limit = 1e290, .alpha = 1e10}));
}

}  // namespace
}  // namespace normproof::ref::ops
