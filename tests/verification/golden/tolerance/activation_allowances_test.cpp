#include "verification/golden/tolerance/activation_allowances.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/verification/golden/certify/samples.hpp"
#include "verification/checks/evaluation/sequence.hpp"
#include "verification/golden/corpus/arithmetic.hpp"
#include "verification/golden/corpus/kind.hpp"
#include "verification/golden/recipes/case_inputs.hpp"

namespace normproof::verification::golden::tolerance {
namespace {

using ref::tensor::NamedTensors;
using ref::tensor::Tensor;

constexpr double kU = 0x1p-24;

/// Returns the case of an activation at one x, with a grad_y of 1.
Case case_of_one(const char* function, double x, DType dtype = DType::float32) {
  return plain_recipe(function, {1, 1}, dtype)
      .x([=](auto, double) { return x; })
      .grad_y([](auto, double) { return 1.0; })
      .make(1);
}

struct Bounds {
  double y, grad_x;
};
/// Returns what is added to bounds of y and grad_x that are `before`.
Bounds widen(const Case& c, Formula formula = Formula::two_pass, double before = 0) {
  const auto inputs = recipes::inputs_of(c);
  const auto values = checks::evaluation::run_operation<double>(c.options, inputs, c.sequence);
  NamedTensors<double> outputs, bound;
  for (const char* name : {"y", "grad_x"}) {
    outputs.set(name, values.at(name));
    bound.set(name, ref::tensor::full_tensor<double>({1, 1}, before));
  }
  add_activation_allowances(c, inputs.function, outputs,
                            corpus::accumulation_arithmetic(Accumulation::float32),
                            Accumulation::float32, formula, bound);
  return {bound.at("y").data()[0], bound.at("grad_x").data()[0]};
}

TEST(ActivationAllowances, AllowASigmoidOfZeroIfItsExponentialOverflows) {
  const double e = std::exp(-90.0);
  EXPECT_DOUBLE_EQ(widen(case_of_one("sigmoid", -90)).y, e);
  EXPECT_EQ(widen(case_of_one("sigmoid", -80)).y, 0);
  EXPECT_EQ(widen(case_of_one("sigmoid", -90), Formula::stable).y, 0);
  EXPECT_GE(widen(case_of_one("softplus", -90)).grad_x, e);
  EXPECT_GE(widen(case_of_one("log_sigmoid", 90)).grad_x, e);
}

TEST(ActivationAllowances, AllowOneMinusASigmoidNearOne) {
  const double added = widen(case_of_one("sigmoid", 20)).grad_x;
  EXPECT_GE(added, 10 * kU);
  EXPECT_LE(added, 10.1 * kU);
  EXPECT_EQ(widen(case_of_one("sigmoid", -20)).grad_x, 0);
}

TEST(ActivationAllowances, AllowGradientsFromAStoredY) {
  // A y of 1/2 is stored in bfloat16 with an error of at most 2^-9.
  EXPECT_GE(widen(case_of_one("sigmoid", 0, DType::bfloat16)).grad_x, 0x1p-9);
  EXPECT_LE(widen(case_of_one("sigmoid", 0, DType::bfloat16)).grad_x, 0x1.1p-9);
  const double t = std::tanh(0.5), stored = 2 * t * t * 0x1p-8;
  const double added = widen(case_of_one("tanh", 0.5, DType::bfloat16)).grad_x;
  EXPECT_GE(added, stored);
  EXPECT_LE(added, 1.1 * stored);
}

TEST(ActivationAllowances, AllowALogarithmThatLosesItsDigitsUnlessTheFormulaIsStable) {
  for (const auto& [function, x] : {std::pair{"softplus", -20.0}, {"log_sigmoid", 20.0}}) {
    EXPECT_DOUBLE_EQ(widen(case_of_one(function, x)).y, 6 * kU) << function;
    // With a stable formula, a bound that is not relative to y becomes relative.
    const double y = std::log1p(std::exp(-20.0));
    const double stable = widen(case_of_one(function, x), Formula::stable, kU).y;
    EXPECT_GE(stable, 8 * kU * y) << function;
    EXPECT_LE(stable, 12.1 * kU * y) << function;
  }
}

TEST(ActivationAllowances, GrowWithXForMish) {
  const double added = widen(case_of_one("mish", -8)).y;
  EXPECT_DOUBLE_EQ(added, 64 * kU);
  EXPECT_EQ(widen(case_of_one("mish", -8), Formula::stable).y, 0);
}

TEST(ActivationAllowances, AreZeroForOtherActivations) {
  for (const char* function : {"relu", "relu_squared", "gelu"}) {
    EXPECT_EQ(widen(case_of_one(function, 1)).y, 0) << function;
    EXPECT_EQ(widen(case_of_one(function, 1)).grad_x, 0) << function;
  }
}

TEST(ActivationAllowances, AboveItsThresholdSoftplusIsExact) {
  const Case c = plain_recipe("softplus", {1, 1}, DType::float32)
                     .option("threshold", "2")
                     .x([](auto, double) { return 3.0; })
                     .make(1);
  EXPECT_EQ(widen(c).y, 0);
  EXPECT_EQ(widen(c).grad_x, 0);
}

}  // namespace
}  // namespace normproof::verification::golden::tolerance
