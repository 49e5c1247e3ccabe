#include "ref/ops/gated_activation.hpp"

#include <gtest/gtest.h>

#include <functional>
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
  return {{"swiglu", swiglu<T>, swiglu_backward<T>, silu<T>, silu_backward<T>},
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

}  // namespace
}  // namespace normproof::ref::ops
