#include "ref/ops/activation.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <vector>

#include "ref/ops/activation_kernels.hpp"
#include "tests/ref/numeric/special_values.hpp"
#include "tests/ref/ops/lenses.hpp"

namespace normproof::ref::ops {
namespace {

using numeric::kInfinity;
using numeric::kNaN;

constexpr double kBeta = 3, kThreshold = 2.5;

template <class T>
struct ActivationFunctions {
  std::string name;
  std::function<Tensor<T>(const Tensor<T>&)> forward;
  std::function<Tensor<T>(const Tensor<T>&, const Tensor<T>&)> backward;
};
template <class T>
std::vector<ActivationFunctions<T>> all_activations() {
  return {
      {"identity", identity<T>, identity_backward<T>},
      {"relu", relu<T>, relu_backward<T>},
      {"gelu", gelu<T>, gelu_backward<T>},
      {"gelu_tanh", gelu_tanh<T>, gelu_tanh_backward<T>},
      {"silu", silu<T>, silu_backward<T>},
      {"relu_squared", relu_squared<T>, relu_squared_backward<T>},
      {"sigmoid", sigmoid<T>, sigmoid_backward<T>},
      {"log_sigmoid", log_sigmoid<T>, log_sigmoid_backward<T>},
      {"tanh_activation", tanh_activation<T>, tanh_activation_backward<T>},
      {"mish", mish<T>, mish_backward<T>},
      {"softplus", [](const Tensor<T>& x) { return softplus(x); },
       [](const Tensor<T>& grad_y, const Tensor<T>& x) { return softplus_backward(grad_y, x); }},
      {"softplus with beta and threshold",
       [](const Tensor<T>& x) { return softplus(x, kBeta, kThreshold); },
       [](const Tensor<T>& grad_y, const Tensor<T>& x) {
         return softplus_backward(grad_y, x, kBeta, kThreshold);
       }}};
}

using oracle600 = numeric::mp::number<numeric::mp::mpfr_float_backend<600>, numeric::mp::et_off>;

oracle100 pi_at_100_digits() {
  return 4 * numeric::mp::atan(oracle100(1));
}

// The value and the slope of an activation at 100 digits, by its definition. The normal
// distribution is computed with erfc, which does not cancel. The slope is the derivative of the
// definition and does not use the formula of the backward.
struct ExactActivation {
  oracle100 y;
  oracle100 slope;
};
ExactActivation exact_activation(std::string_view name, const oracle100& x) {
  const oracle100 pi = pi_at_100_digits();
  if (name == "identity") return {x, oracle100(1)};
  if (name == "relu") return {x > 0 ? x : oracle100(0), oracle100(x > 0 ? 1 : 0)};
  if (name == "gelu") {
    const oracle100 cdf = numeric::mp::erfc(-x / sqrt(oracle100(2))) / 2;
    return {x * cdf, cdf + x * numeric::mp::exp(-x * x / 2) / sqrt(2 * pi)};
  }
  if (name == "silu") {  // exp(x) / (1 + exp(x)) does not cancel either
    const oracle100 e = numeric::mp::exp(x), s = e / (1 + e);
    return {x * s, s + x * (e / ((1 + e) * (1 + e)))};
  }
  if (name == "relu_squared")
    return {x > 0 ? oracle100(x * x) : oracle100(0), oracle100(x > 0 ? 2 * x : 0)};
  const auto sigmoid_at = [](const oracle100& v) {
    const oracle100 e = numeric::mp::exp(v);
    return oracle100(e / (1 + e));
  };
  const auto softplus_at = [](const oracle600& v) {
    return numeric::mp::log(oracle600(1 + numeric::mp::exp(v)));
  };
  if (name == "sigmoid") {
    const oracle100 e = numeric::mp::exp(x);
    return {sigmoid_at(x), e / ((1 + e) * (1 + e))};
  }
  if (name == "log_sigmoid") return {oracle100(-softplus_at(oracle600(-x))), sigmoid_at(-x)};
  if (name == "softplus") return {oracle100(softplus_at(oracle600(x))), sigmoid_at(x)};
  if (name.starts_with("softplus")) {
    const oracle100 v = kBeta * x;
    if (v > kThreshold) return {x, 1};
    return {oracle100(softplus_at(oracle600(v)) / kBeta), sigmoid_at(v)};
  }
  if (name == "tanh_activation") {
    const oracle100 c = numeric::mp::cosh(x);
    return {numeric::mp::tanh(x), 1 / (c * c)};
  }
  if (name == "mish") {
    const oracle600 gate = numeric::mp::tanh(softplus_at(oracle600(x)));
    return {oracle100(x * gate),
            oracle100(gate + x * (1 - gate * gate) * oracle600(sigmoid_at(x)))};
  }
  // This is the published formula; 1 + tanh loses up to 350 digits.
  const oracle600 c = sqrt(2 / (4 * numeric::mp::atan(oracle600(1)))), a("0.044715"), w(x);
  const oracle600 t = numeric::mp::tanh(oracle600(c * (w + a * w * w * w)));
  return {oracle100(w / 2 * (1 + t)),
          oracle100((1 + t) / 2 + w / 2 * (1 - t * t) * c * (1 + 3 * a * w * w))};
}

// Returns arguments of both signs and all relevant sizes: near 0, of moderate size, so large that
// erf and tanh saturate, and so large that exp underflows.
Tensor<double> activation_arguments() {
  std::vector<double> x = {0.0, -0.0, 0x1p-1074, -0x1p-1074, 0x1p-1022, 1e-300, -1e-200, -1e-17};
  for (int i = -240; i <= 240; ++i) x.push_back(i * 0.0537);
  for (int i = -60; i <= 60; ++i) x.push_back(i * 0.731);
  Tensor<double> t = tensor::empty_tensor<double>({x.size()});
  for (std::size_t i = 0; i < x.size(); ++i) t.data()[i] = x[i];
  return t;
}

class ActivationTest : public ::testing::Test {
 protected:
  void TearDown() override { restore_default_settings(); }
};

TEST_F(ActivationTest, ReluMatchesHandComputedValues) {
  const Tensor<double> x = {-2, -0.0, 0, 3, 1e308, -1e308, 0x1p-1074};
  EXPECT_BITS_EQ(relu(x), (Tensor<double>{0, 0, 0, 3, 1e308, 0, 0x1p-1074}));
  EXPECT_BITS_EQ(relu_backward(Tensor<double>{5, 5, 5, 5, -7, -7, -0.0}, x),
                 (Tensor<double>{0, 0, 0, 5, -7, 0, -0.0}));
}

TEST_F(ActivationTest, ReluSlopeAtZeroIsZeroForEveryScalar) {
  const auto slope_at_0 = []<class T>(T) {
    const Tensor<T> grad_x =
        relu_backward(convert_elements<T>({5, 5}), convert_elements<T>({0, 3}));
    EXPECT_EQ(numeric::to_double(grad_x(0)), 0);
    EXPECT_EQ(numeric::to_double(grad_x(1)), 5);
  };
  slope_at_0(double{});
  slope_at_0(numeric::oracle50{});
  slope_at_0(numeric::oracle100{});
  slope_at_0(numeric::dual{});
  slope_at_0(numeric::interval{});
  slope_at_0(numeric::ball{});
  slope_at_0(numeric::running_error{});
}

TEST_F(ActivationTest, ConstantsAreTheNearestDoubles) {
  const oracle100 pi = pi_at_100_digits();
  EXPECT_BITS_EQ(kGeluConstants.sqrt_half, numeric::to_double(1 / sqrt(oracle100(2))));
  EXPECT_BITS_EQ(kGeluConstants.density_at_0, numeric::to_double(1 / sqrt(2 * pi)));
  EXPECT_BITS_EQ(kGeluConstants.twice_sqrt_2_pi, numeric::to_double(2 * sqrt(2 / pi)));
  EXPECT_BITS_EQ(kGeluConstants.cubic, numeric::to_double(oracle100("0.044715")));
}

// The expected values follow docs/specification/activations.md operation by operation. The sizes
// cover several chunks and partial SIMD vectors.
TEST_F(ActivationTest, FollowsTheSpecification) {
  for (const std::size_t size : {1u, 2u, 7u, 511u, 512u, 513u, 1501u}) {
    const Tensor<double> x = random_tensor({size}, "specification", 2);
    const Tensor<double> g = random_tensor({size}, "specification gradient");
    const Tensor<double> y = gelu(x), grad_x = gelu_backward(g, x);
    const Tensor<double> tanh_y = gelu_tanh(x), tanh_grad_x = gelu_tanh_backward(g, x);
    const Tensor<double> silu_y = silu(x), silu_grad_x = silu_backward(g, x);
    const Tensor<double> square_y = relu_squared(x), square_grad_x = relu_squared_backward(g, x);
    const Tensor<double> sigmoid_y = sigmoid(x), sigmoid_grad_x = sigmoid_backward(g, x);
    const Tensor<double> log_y = log_sigmoid(x), log_grad_x = log_sigmoid_backward(g, x);
    const Tensor<double> softplus_y = softplus(x, kBeta, kThreshold),
                         softplus_grad_x = softplus_backward(g, x, kBeta, kThreshold);
    const Tensor<double> t = tanh_activation(x), tangent_grad_x = tanh_activation_backward(g, x);
    const Tensor<double> mish_y = mish(x), mish_grad_x = mish_backward(g, x);
    for (std::size_t i = 0; i < size; ++i) {
      const double v = x(i);
      const double erf = numeric::erf(v * 0x1.6a09e667f3bcdp-1);
      EXPECT_BITS_EQ(y(i), (0.5 * v) * (1 + erf));
      const double density = numeric::exp(-0.5 * (v * v)) * 0x1.9884533d43651p-2;
      EXPECT_BITS_EQ(grad_x(i), g(i) * (0.5 * (1 + erf) + v * density));
      const double k = 0x1.9884533d43651p+0;
      const double w = k * (v + 0.044715 * (v * (v * v)));
      const double e = numeric::exp(v < 0 ? w : -w);
      const double gate = (v < 0 ? e : 1) / (1 + e);
      EXPECT_BITS_EQ(tanh_y(i), v * gate);
      const double p = e * v;
      const double slope = k * (p + (3 * 0.044715) * ((p * v) * v));
      EXPECT_BITS_EQ(tanh_grad_x(i), g(i) * (gate + slope / ((1 + e) * (1 + e))));
      const double o = numeric::exp(v < 0 ? v : -v);
      const double s = (v < 0 ? o : 1) / (1 + o);
      EXPECT_BITS_EQ(silu_y(i), v * s);
      EXPECT_BITS_EQ(silu_grad_x(i), g(i) * (s + (o * v) / ((1 + o) * (1 + o))));
      const double r = v > 0 ? v : 0.0;
      EXPECT_BITS_EQ(square_y(i), r * r);
      EXPECT_BITS_EQ(square_grad_x(i), g(i) * (2 * r));
      EXPECT_BITS_EQ(sigmoid_y(i), s);
      EXPECT_BITS_EQ(sigmoid_grad_x(i), g(i) * (o / ((1 + o) * (1 + o))));
      const auto log_of_one_plus = [](double a) {
        const double u = 1 + a;
        return numeric::log(u) + (a - (u - 1)) / u;
      };
      EXPECT_BITS_EQ(log_y(i), v < 0 ? v - log_of_one_plus(o) : -log_of_one_plus(o));
      EXPECT_BITS_EQ(log_grad_x(i), g(i) * ((v > 0 ? o : 1) / (1 + o)));
      const double bv = kBeta * v, eb = numeric::exp(bv < 0 ? bv : -bv), l = log_of_one_plus(eb);
      EXPECT_BITS_EQ(softplus_y(i), bv > kThreshold ? v : (bv < 0 ? l : bv + l) / kBeta);
      EXPECT_BITS_EQ(softplus_grad_x(i),
                     bv > kThreshold ? g(i) : g(i) * ((bv < 0 ? eb : 1) / (1 + eb)));
      const double e2 = numeric::exp((v < 0 ? v : -v) * 2);
      EXPECT_BITS_EQ(t(i), numeric::tanh(v));
      EXPECT_BITS_EQ(tangent_grad_x(i), g(i) * ((4 * e2) / ((1 + e2) * (1 + e2))));
      const double n = v < 0 ? o * (o + 2) : 1 + 2 * o, d = n + (v < 0 ? 2.0 : 2 * (o * o));
      EXPECT_BITS_EQ(mish_y(i), v * (n / d));
      const double c = v < 0 ? o : o * o;
      EXPECT_BITS_EQ(mish_grad_x(i), g(i) * (n / d + v * (((4 * c) * (1 + o)) / d / d)));
    }
  }
}

TEST_F(ActivationTest, GivesTheSameBitsOnEveryInstructionSetAndThreadCount) {
  // The last shape is above the threshold for non-temporal stores.
  for (const Shape& shape :
       {Shape{}, Shape{0}, Shape{3}, Shape{7, 33}, Shape{3, 5, 967}, Shape{900, 701}}) {
    const Tensor<double> x = random_tensor(shape, "machine", 2);
    const Tensor<double> grad_y = random_tensor(shape, "machine gradient");
    for (const auto& f : all_activations<double>()) {
      SCOPED_TRACE(f.name);
      expect_same_on_every_machine_setting([&] { return f.forward(x); });
      expect_same_on_every_machine_setting([&] { return f.backward(grad_y, x); });
    }
  }
}

TEST_F(ActivationTest, DoubleResultsAreWithinTheRunningErrorBound) {
  const Tensor<double> x = activation_arguments();
  const Tensor<double> grad_y = random_tensor(tensor::shape_of(x), "bound");
  const auto doubles = all_activations<double>();
  const auto running = all_activations<running_error>();
  for (std::size_t k = 0; k < doubles.size(); ++k) {
    SCOPED_TRACE(doubles[k].name);
    const auto y = running[k].forward(convert_elements<running_error>(x));
    const auto grad_x = running[k].backward(convert_elements<running_error>(grad_y),
                                            convert_elements<running_error>(x));
    Tensor<oracle100> expected_y = convert_elements<oracle100>(x),
                      expected_grad_x = convert_elements<oracle100>(x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const ExactActivation d = exact_activation(doubles[k].name, oracle100(x(i)));
      expected_y(i) = d.y;
      expected_grad_x(i) = grad_y(i) * d.slope;
    }
    EXPECT_WITHIN(compare(y, expected_y));
    EXPECT_WITHIN(compare(grad_x, expected_grad_x));
    EXPECT_BITS_EQ(doubles[k].forward(x), values(y));
    EXPECT_BITS_EQ(doubles[k].backward(grad_y, x), values(grad_x));
  }
}

// docs/specification/activations.md and the headers document these errors by cancellation.
TEST_F(ActivationTest, OnlyGeluWithErfLosesDigitsByCancellation) {
  double worst = 0;
  for (double x = -40; x <= -1; x += 0x1.1p-3) {
    const Tensor<double> at = {x};
    const oracle100 exact = exact_activation("gelu", x).y, got = gelu(at)(0);
    EXPECT_LE(abs(got - exact), ldexp(oracle100(1), -53) * -x) << x;
    worst = std::max(worst, numeric::to_double(abs(got - exact) / abs(exact)));
    // The argument v of exp has a relative error of at most 7 u, so exp(v) has the relative error
    // 7 u |v|. The functions exp, +, / and * add one rounding each.
    const oracle100 tanh_exact = exact_activation("gelu_tanh", x).y;
    const double v = 1.6 * (-x + 0.044715 * -x * x * x);
    const oracle100 bound =
        abs(tanh_exact) * ldexp(oracle100(7 * v + 5), -53) * (1 + 1e-9) + 0x1p-1068;
    EXPECT_LE(abs(oracle100(gelu_tanh(at)(0)) - tanh_exact), bound) << x;
  }
  EXPECT_EQ(worst, 1) << "far out 1 + erf is 0";
}

// The error is a few units in the last place for large positive and negative x, even if exp(-x)
// overflows. Subnormal results may be off by one more unit.
TEST_F(ActivationTest, SiluIsAccurateInItsTails) {
  for (double x = -745; x <= 745; x += 0x1.9p+0) {
    const Tensor<double> at = {x}, one = {1};
    const ExactActivation exact = exact_activation("silu", x);
    EXPECT_LE(abs(oracle100(silu(at)(0)) - exact.y), ldexp(abs(exact.y), -50) + 0x1p-1063) << x;
    EXPECT_LE(abs(oracle100(silu_backward(one, at)(0)) - exact.slope),
              ldexp(abs(exact.slope) * (1 + abs(oracle100(x))), -50) + 0x1p-1063)
        << x;
  }
}

// The digits of small results are kept: those of log_sigmoid for x > 0 and of softplus for x < 0.
// docs/specification/activations.md states the bound.
TEST_F(ActivationTest, LogarithmsAndQuotientsAreAccurateInTheirTails) {
  for (double x = -700; x <= 700; x += 0x1.9p+0) {
    const Tensor<double> at = {x}, one = {1};
    for (const auto& f : all_activations<double>()) {
      if (f.name.starts_with("gelu") || f.name.starts_with("relu")) continue;
      SCOPED_TRACE(f.name);
      const ExactActivation exact = exact_activation(f.name, x);
      const double argument = f.name.starts_with("softplus with") ? 1 + std::fabs(x) : 1;
      EXPECT_LE(abs(oracle100(f.forward(at)(0)) - exact.y),
                ldexp(abs(exact.y), -50) * argument + 0x1p-1063)
          << x;
      EXPECT_LE(abs(oracle100(f.backward(one, at)(0)) - exact.slope),
                ldexp(abs(exact.slope) * (1 + abs(oracle100(x))), -50) * argument + 0x1p-1063)
          << x;
    }
  }
}

TEST_F(ActivationTest, C4_RejectsParametersOfSoftplus) {
  const Tensor<double> x = {1};
  EXPECT_EQ(contract_message([&] { softplus(x, 0); }),
            "softplus: beta is 0; expected a finite number > 0 (C4)");
  EXPECT_EQ(contract_message([&] { softplus_backward(x, x, kInfinity); }),
            "softplus_backward: beta is inf; expected a finite number > 0 (C4)");
  EXPECT_EQ(contract_message([&] { softplus(x, 1, -1); }),
            "softplus: threshold is -1; expected a number >= 0 (C4)");
  EXPECT_EQ(contract_message([&] { softplus(x, 1, kNaN); }),
            "softplus: threshold is nan; expected a number >= 0 (C4)");
}

TEST_F(ActivationTest, IntervalAndBallResultsContainTheExactValues) {
  const Tensor<double> x = activation_arguments();
  const Tensor<double> grad_y = random_tensor(tensor::shape_of(x), "enclosure");
  using numeric::ball;
  using numeric::interval;
  const auto intervals = all_activations<interval>();
  const auto balls = all_activations<ball>();
  for (std::size_t k = 0; k < balls.size(); ++k) {
    SCOPED_TRACE(balls[k].name);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const ExactActivation d = exact_activation(balls[k].name, oracle100(x(i)));
      const Tensor<double> at = {x(i)}, g = {grad_y(i)};
      const auto is_correct = [&](const auto& got, const oracle100& exact) {
        const auto [lower, upper] = numeric::enclose(got(0));
        EXPECT_LE(oracle100(lower), exact) << x(i);
        EXPECT_GE(oracle100(upper), exact) << x(i);
        const double size = std::fmax(std::fabs(x(i)), std::fabs(numeric::to_double(exact)));
        EXPECT_LE(upper - lower, 0x1p-50 * size + 0x1p-50) << x(i);
      };
      is_correct(intervals[k].forward(convert_elements<interval>(at)), d.y);
      is_correct(balls[k].forward(convert_elements<ball>(at)), d.y);
      is_correct(
          intervals[k].backward(convert_elements<interval>(g), convert_elements<interval>(at)),
          g(0) * d.slope);
      is_correct(balls[k].backward(convert_elements<ball>(g), convert_elements<ball>(at)),
                 g(0) * d.slope);
    }
  }
}

// Tests an interval that contains 0, where relu, gelu_tanh and silu branch. The result must contain
// the result of every point of the interval.
template <class T>
void expect_activation_of_every_point(double first, double last) {
  using numeric::hull;
  using numeric::mp::hull;
  const auto doubles = all_activations<oracle50>();
  const auto enclosing = all_activations<T>();
  Tensor<T> x = tensor::empty_tensor<T>({1});
  x(0) = hull(T(first), T(last));
  for (std::size_t k = 0; k < doubles.size(); ++k) {
    const auto y = numeric::enclose(enclosing[k].forward(x)(0));
    const auto slope = numeric::enclose(enclosing[k].backward(convert_elements<T>({3}), x)(0));
    for (double point = first; point <= last; point += (last - first) / 16) {
      SCOPED_TRACE(doubles[k].name + " at " + std::to_string(point));
      const Tensor<oracle50> at = {oracle50(point)};
      const oracle50 value = doubles[k].forward(at)(0);
      const oracle50 derivative = doubles[k].backward(convert_elements<oracle50>({3}), at)(0);
      EXPECT_LE(y.lower, value);
      EXPECT_GE(y.upper, value);
      EXPECT_LE(slope.lower, derivative);
      EXPECT_GE(slope.upper, derivative);
    }
  }
  // The radius of a ball has 30 bits.
  EXPECT_GE(numeric::enclose(relu(x)(0)).lower, -0x1p-29 * last);
}
TEST_F(ActivationTest, IntervalsAcrossZeroContainTheResultOfEveryPoint) {
  expect_activation_of_every_point<numeric::interval>(-1, 2);
  expect_activation_of_every_point<numeric::ball>(-0.25, 0.5);
}

// If the exact x may have the other sign, the bound must cover the result for this sign.
TEST_F(ActivationTest, RunningErrorOfReluCoversBothSidesOfZero) {
  Tensor<running_error> x = tensor::empty_tensor<running_error>({2});
  x(0) = running_error(-0.25, 0.5);
  x(1) = running_error(-0.25, 0.125);
  EXPECT_BITS_EQ(values(relu(x)), (Tensor<double>{0, 0}));
  EXPECT_GE(relu(x)(0).error, 0.25);
  const auto slope = relu_backward(convert_elements<running_error>({3, 3}), x);
  EXPECT_BITS_EQ(values(slope), (Tensor<double>{0, 0}));
  EXPECT_GE(slope(0).error, 3);
  EXPECT_BITS_EQ(slope(1).error, 0.0);
}

// The backward must be the derivative of the forward for every shape up to [3,3].
TEST_F(ActivationTest, BackwardIsTheDerivative) {
  const auto oracles = all_activations<oracle50>();
  const auto running = all_activations<running_error>();
  for (std::size_t rows = 1; rows <= 3; ++rows) {
    for (std::size_t width = 1; width <= 3; ++width) {
      for (const double scale : {0.0, 0.01, 1.0, 4.0}) {
        const Shape shape = {rows, width};
        const Tensor<double> x = random_tensor(shape, "derivative", scale);
        const Tensor<double> grad_y = random_tensor(shape, "derivative gradient");
        for (std::size_t k = 0; k < oracles.size(); ++k) {
          SCOPED_TRACE(oracles[k].name + " of " + tensor::to_string(shape) + " times " +
                       std::to_string(scale));
          expect_derivative(
              [k]<class S>(const Tensor<S>& at) { return all_activations<S>()[k].forward(at); }, x,
              grad_y,
              oracles[k].backward(convert_elements<oracle50>(grad_y),
                                  convert_elements<oracle50>(x)),
              running[k].backward(convert_elements<running_error>(grad_y),
                                  convert_elements<running_error>(x)));
        }
      }
    }
  }
}

TEST_F(ActivationTest, ExtremeArgumentsGiveTheLimits) {
  const Tensor<double> x = {1e308, -1e308, 1e200, -1e200, 60, -60, 0.0, -0.0};
  const Tensor<double> y = {1e308, -0.0, 1e200, -0.0, 60, -0.0, 0.0, -0.0};
  const Tensor<double> slope = {1, 0, 1, 0, 1, 0, 0.5, 0.5};
  const Tensor<double> ones = tensor::full_tensor<double>({8}, 1.0);
  EXPECT_BITS_EQ(gelu(x), y);
  EXPECT_BITS_EQ(gelu_tanh(x), y);
  const Tensor<double> far = {1e308, -1e308, 1e200, -1e200, 800, -800, 0.0, -0.0};
  EXPECT_BITS_EQ(silu(far), (Tensor<double>{1e308, -0.0, 1e200, -0.0, 800, -0.0, 0.0, -0.0}));
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(gelu_backward(ones, x)(i), slope(i)) << x(i);
    EXPECT_EQ(gelu_tanh_backward(ones, x)(i), slope(i)) << x(i);
    EXPECT_EQ(silu_backward(ones, far)(i), slope(i)) << far(i);
  }
  const Tensor<double> ends = {1e308, -1e308, 800, -800};
  EXPECT_BITS_EQ(sigmoid(ends), (Tensor<double>{1, 0, 1, 0}));
  EXPECT_BITS_EQ(tanh_activation(ends), (Tensor<double>{1, -1, 1, -1}));
  EXPECT_BITS_EQ(log_sigmoid(ends), (Tensor<double>{-0.0, -1e308, -0.0, -800}));
  EXPECT_BITS_EQ(softplus(ends), (Tensor<double>{1e308, 0, 800, 0}));
  EXPECT_BITS_EQ(mish(ends), (Tensor<double>{1e308, -0.0, 800, -0.0}));
  EXPECT_BITS_EQ(relu_squared(Tensor<double>{-2, 3}), (Tensor<double>{0, 9}));
}

TEST_F(ActivationTest, C1_RejectsGradYOfWrongShape) {
  EXPECT_EQ(contract_message([] {
              relu_backward(Tensor<double>{1, 2}, Tensor<double>{{1, 2}});
            }),
            "relu_backward: grad_y has shape [2]; expected shape [1, 2] (C1)");
}

// The shapes cover several chunks and non-temporal stores. The test runs on every instruction set
// and for every scalar type.
TEST_F(ActivationTest, GeluThatSavesErfHasTheSameBits) {
  for (const Shape& shape : {Shape{0}, Shape{3}, Shape{3, 5, 967}, Shape{900, 701}}) {
    const Tensor<double> x = random_tensor(shape, "kept", 2);
    const Tensor<double> grad_y = random_tensor(shape, "kept gradient");
    const Tensor<double> y = gelu(x), grad_x = gelu_backward(grad_y, x);
    Tensor<double> erf;
    expect_same_on_every_machine_setting([&] { return gelu_keeping_erf(x, erf); });
    expect_same_on_every_machine_setting([&] { return gelu_backward_from_erf(grad_y, x, erf); });
    EXPECT_BITS_EQ(gelu_keeping_erf(x, erf), y);
    EXPECT_BITS_EQ(gelu_backward_from_erf(grad_y, x, erf), grad_x);
    for (std::size_t i = 0; i < x.size(); i += 1009)
      EXPECT_BITS_EQ(erf.data()[i], numeric::erf(x.data()[i] * 0x1.6a09e667f3bcdp-1));
  }
  const Tensor<double> at = {-1.5, 0.25, 3};
  const auto check = [&]<class T>(T) {
    const Tensor<T> x = convert_elements<T>(at), ones = convert_elements<T>({1, 1, 1});
    Tensor<T> erf;
    const Tensor<T> y = gelu(x), kept = gelu_keeping_erf(x, erf);
    const Tensor<T> grad_x = gelu_backward(ones, x),
                    from_kept = gelu_backward_from_erf(ones, x, erf);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(numeric::to_double(kept(i)), numeric::to_double(y(i)));
      EXPECT_EQ(numeric::to_double(from_kept(i)), numeric::to_double(grad_x(i)));
    }
  };
  check(numeric::oracle100());
  check(numeric::dual());
  check(numeric::interval());
  check(numeric::ball());
  check(numeric::running_error());
}

TEST_F(ActivationTest, C3_RejectsErfOfWrongShape) {
  const Tensor<double> x = {1, 2};
  EXPECT_EQ(contract_message([&] { gelu_backward_from_erf(x, x, Tensor<double>{1}); }),
            "gelu_backward: erf has shape [1]; expected shape [2] (C3)");
}

TEST_F(ActivationTest, C2_RejectsNonFiniteElements) {
  const Tensor<double> good = random_tensor({60, 300}, "finite");
  for (const int threads : {1, 5}) {
    numeric::set_num_threads(threads);
    for (const double bad : {kInfinity, -kInfinity, kNaN}) {
      Tensor<double> x = good;
      x(59, 299) = bad;
      x(41, 7) = bad;
      const auto message = [&](const std::string& function, const std::string& argument) {
        return function + ": " + argument + " has the element [41, 7] = " + to_text(bad) +
               "; expected finite values (C2)";
      };
      for (const auto& f : all_activations<double>()) {
        const std::string name = f.name.substr(0, f.name.find(' '));
        EXPECT_EQ(contract_message([&] { f.forward(x); }), message(name, "x"));
        EXPECT_EQ(contract_message([&] { f.backward(good, x); }), message(name + "_backward", "x"));
        EXPECT_EQ(contract_message([&] { f.backward(x, good); }),
                  message(name + "_backward", "grad_y"));
      }
    }
  }
  for (const auto& f : all_activations<numeric::interval>())
    EXPECT_THROW(f.forward(convert_elements<numeric::interval>({kNaN})), numeric::ContractError);
}

}  // namespace
}  // namespace normproof::ref::ops
