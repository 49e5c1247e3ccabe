/// Compares every element of a step in `double` with the definition, which is computed at 100
/// digits. The running error must bound the difference. The value part of the running error must
/// have exactly the bits of the `double` step.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "ref/numeric/errors.hpp"
#include "tests/verification/checks/oracle/lenses.hpp"
#include "verification/checks/oracle/cells.hpp"

namespace normproof::verification::checks::oracle {
namespace {

namespace model = ref::model;

/// Runs `steps` steps with every scalar type. Each scalar type carries its own state. x and grad_y
/// are reversed after each step. If `may_diverge` is true, a contract error of PowerNorm with a
/// diverged nu is accepted.
void check(Case c, int steps, Tightness& tightness, bool may_diverge = false) {
  NamedTensors<running_error> running = convert_norm_state<running_error>(c.state);
  NamedTensors<oracle100> exact = convert_norm_state<oracle100>(c.state);
  for (int i = 0; i < steps; ++i) {
    NormStep<double> got;
    try {
      got = ref::norm::norm_step<double>(c.options, c.inputs, c.state);
    } catch (const ref::numeric::ContractError& e) {
      // If `(1 - alpha) Gamma` is far above 2, the running nu of PowerNorm grows without bound.
      ASSERT_TRUE(c.state.contains("nu") && may_diverge) << c.name() << " " << e.what();
      ASSERT_THAT(e.what(), ::testing::HasSubstr("makes nu at")) << c.name();
      return;
    }
    const auto bound = ref::norm::norm_step<running_error>(
        c.options, convert_norm_inputs<running_error>(c.inputs), running);
    const auto expected = step(c.options, to_oracle_inputs(c.inputs), exact, Method::reverse);
    ASSERT_TRUE(has_same_values(got, bound)) << c.name() << " step " << i;
    ASSERT_TRUE(is_within_running_error(bound, expected, &tightness)) << c.name() << " step " << i;
    c.state = got.state;
    running = bound.state;
    exact = expected.state;
    std::reverse(c.inputs.x.data(), c.inputs.x.data() + c.inputs.x.size());
    std::reverse(c.inputs.grad_y.data(), c.inputs.grad_y.data() + c.inputs.grad_y.size());
  }
}

/// Checks all layers on x in training and inference. If there are enough rows, also checks them
/// with a mask that excludes every third row.
void check_every_layer(const Tensor<double>& x, const std::string& stream, Tightness& tightness,
                       bool may_diverge = false) {
  for (const auto& options : options_of_every_layer(x.shape().back()))
    for (const Mode mode : {Mode::training, Mode::inference}) {
      Case c = make_case(options, x, mode, stream);
      const std::size_t rows = x.size() / x.shape().back();
      const auto* batch_norm = std::get_if<model::BatchNormOptions>(&options);
      const bool needs_two = batch_norm != nullptr && batch_norm->unbiased_running_variance;
      if (needs_two && rows < 2 && mode == Mode::training) continue;
      const bool steps = has_state(options) && mode == Mode::training;
      ASSERT_NO_FATAL_FAILURE(check(c, steps ? 3 : 1, tightness, may_diverge));
      if (x.dimension() != 2 || rows < 4 || !uses_mask(options)) continue;
      // A shape [N,D] means [N,1,D]. With statistics per sample, a masked row would have no
      // element.
      const std::string name = model::norm_name(options);
      if (name == "instance_norm" || name == "group_norm") continue;
      c.inputs.valid = empty_tensor<bool>({rows});
      for (std::size_t i = 0; i < rows; ++i) c.inputs.valid.data()[i] = i % 3 != 1;
      ASSERT_NO_FATAL_FAILURE(check(c, steps ? 3 : 1, tightness, may_diverge));
    }
}

constexpr std::size_t kExtents[] = {1, 2, 3, 31, 32, 33, 64, 65, 100, 513};

TEST(DoubleStep, IsWithinTheRunningErrorBoundForRandomRows) {
  Tightness tightness;
  for (const std::size_t d : kExtents) {
    const Shape shape{d > 100 ? 2u : 3u, d};
    ASSERT_NO_FATAL_FAILURE(check_every_layer(normal("rows", shape, 0.3, 1.5),
                                              ref::tensor::to_string(shape), tightness));
  }
  std::printf("largest error / running bound: %.3g\n", tightness.worst);
  EXPECT_EQ(tightness.unclaimed, 0u);
  EXPECT_GT(tightness.worst, 0.01) << "the bound has lost all touch with the error";
}

TEST(DoubleStep, IsWithinTheRunningErrorBoundForRandomColumns) {
  Tightness tightness;
  for (const std::size_t n : kExtents) {
    const Shape shape{n, 2};
    ASSERT_NO_FATAL_FAILURE(check_every_layer(normal("columns", shape, 0.3, 1.5),
                                              ref::tensor::to_string(shape), tightness));
  }
  std::printf("largest error / running bound: %.3g\n", tightness.worst);
  EXPECT_EQ(tightness.unclaimed, 0u);
  EXPECT_GT(tightness.worst, 0.01) << "the bound has lost all touch with the error";
}

TEST(DoubleStep, IsWithinTheRunningErrorBoundForPaddedSamples) {
  Tightness tightness;
  const Shape shape{3, 11, 6};
  const auto x = normal("samples", shape, -1, 2);
  for (const auto& options : options_of_every_layer(6))
    for (const Mode mode : {Mode::training, Mode::inference}) {
      Case c = make_case(options, x, mode, "samples");
      // Sentences of 11, 7 and 1 tokens.
      c.inputs.valid = empty_tensor<bool>({3, 11});
      const std::size_t length[] = {11, 7, 1};
      for (std::size_t b = 0; b < 3; ++b)
        for (std::size_t t = 0; t < 11; ++t) c.inputs.valid(b, t) = t < length[b];
      ASSERT_NO_FATAL_FAILURE(check(c, 3, tightness));
    }
}

TEST(DoubleStep, IsWithinTheRunningErrorBoundWithoutParametersOrGradient) {
  Tightness tightness;
  for (const auto& options : options_of_every_layer(5))
    for (const Mode mode : {Mode::training, Mode::inference}) {
      Case c = make_case(options, normal("absent", {4, 5}, 1, 2), mode, "absent");
      c.inputs.gamma = Tensor<double>();
      c.inputs.beta = Tensor<double>();
      ASSERT_NO_FATAL_FAILURE(check(c, 2, tightness));
      c.inputs.grad_y = Tensor<double>();
      const auto got = run<double>(c);
      const auto bound = run<running_error>(c);
      ASSERT_TRUE(has_same_values(got, bound)) << c.name();
      ASSERT_TRUE(is_within_running_error(bound, run_oracle(c, Method::reverse))) << c.name();
      EXPECT_FALSE(got.outputs.contains("grad_x"));
    }
}

struct HardInput {
  const char* name;
  Tensor<double> (*x)(const Shape&);
  bool wide = false;  ///< x spans so many orders of magnitude that the bound may be infinite
};

Tensor<double> elementwise(const Shape& shape, double (*element)(std::size_t)) {
  Tensor<double> x = empty_tensor<double>(shape);
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = element(i);
  return x;
}

template <int kPower>
Tensor<double> offset(const Shape& shape) {
  double power = 1;
  for (int i = 0; i < kPower; ++i) power *= 10;
  return normal("offset", shape, power, 1);
}

const RandomStream kWideRangeStream(3, "wide");

const HardInput kHardInputs[] = {
    {"offset_1e0", &offset<0>},
    {"offset_1e1", &offset<1>},
    {"offset_1e2", &offset<2>},
    {"offset_1e3", &offset<3>},
    {"offset_1e4", &offset<4>},
    {"offset_1e5", &offset<5>},
    {"offset_1e6", &offset<6>},
    {"offset_1e7", &offset<7>},
    {"offset_1e8", &offset<8>},
    {"variance_near_eps", [](const Shape& s) { return normal("near eps", s, 0, 3e-3); }},
    {"variance_below_eps", [](const Shape& s) { return normal("below eps", s, 1, 1e-6); }},
    {"wide_range",
     [](const Shape& s) {
       return elementwise(s, [](std::size_t i) {
         const double sign = kWideRangeStream.bits(2 * i) % 2 == 0 ? 1 : -1;
         const double u = kWideRangeStream.uniform(2 * i + 1);
         return sign * std::ldexp(1 + u, static_cast<int>(996 * u) - 498);
       });
     },
     true},
    {"near_constant",
     [](const Shape& s) {
       return elementwise(s, [](std::size_t i) { return 1 + static_cast<double>(i) * 0x1p-44; });
     }},
    {"rows_40000_to_40003",
     [](const Shape& s) {
       return elementwise(s, [](std::size_t i) { return 40000 + static_cast<double>(i % 4); });
     }},
    {"rows_80000_to_80003",
     [](const Shape& s) {
       return elementwise(s, [](std::size_t i) { return 80000 + static_cast<double>(i % 4); });
     }},
    {"1e4_and_thousandths",
     [](const Shape& s) {
       return elementwise(s, [](std::size_t i) { return 1e4 + static_cast<double>(i) * 1e-3; });
     }},
    {"constant_1234",
     [](const Shape& s) { return elementwise(s, [](std::size_t) { return 1234.0; }); }},
    {"subnormal",
     [](const Shape& s) {
       return elementwise(s, [](std::size_t i) { return static_cast<double>(i % 7) * 0x1p-1074; });
     }},
    {"zero", [](const Shape& s) { return elementwise(s, [](std::size_t) { return 0.0; }); }},
};

class DoubleStepOnHardInputs : public ::testing::TestWithParam<HardInput> {};

TEST_P(DoubleStepOnHardInputs, IsWithinTheRunningErrorBound) {
  Tightness tightness;
  for (const Shape& shape : {Shape{4, 4}, Shape{5, 33}, Shape{65, 3}, Shape{2, 3, 4}})
    ASSERT_NO_FATAL_FAILURE(
        check_every_layer(GetParam().x(shape), GetParam().name, tightness, GetParam().wide));
  if (GetParam().wide) {
    EXPECT_GT(tightness.claimed, 9 * tightness.unclaimed);
  } else {
    EXPECT_EQ(tightness.unclaimed, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Inputs, DoubleStepOnHardInputs, ::testing::ValuesIn(kHardInputs),
                         [](const auto& adversary) { return adversary.param.name; });

/// Returns an x for which every operation of the step is exact, so that the tests can use a
/// tolerance of 0. x consists of pairs `m +- delta`, whose mean squared deviation plus eps = 1/16
/// is a power of 4. All other inputs are small dyadic numbers.
Tensor<double> make_input_of_exact_pairs(std::size_t rows, std::size_t features,
                                         bool has_statistics_over_rows, double m, double delta,
                                         std::size_t at_m) {
  Tensor<double> x = empty_tensor<double>({rows, features});
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t f = 0; f < features; ++f) {
      const std::size_t i = has_statistics_over_rows ? f : r;
      x(r, f) = i < at_m ? m : i % 2 == 0 ? m + delta : m - delta;
    }
  return x;
}

void round_inputs_to_dyadic_numbers(Case& c) {
  const auto fill = [](Tensor<double>& t, double first, double step_by, std::size_t period) {
    if (is_absent(t)) return;
    for (std::size_t i = 0; i < t.size(); ++i)
      t.data()[i] = first + step_by * static_cast<double>(i % period);
  };
  fill(c.inputs.gamma, -1.5, 0.5, 8);
  fill(c.inputs.beta, 3, -0.25, 4);
  fill(c.inputs.grad_y, -2, 0.5, 7);
  for (auto& entry : c.state) {
    if (entry.name == "running_variance" || entry.name == "running_psi2")
      fill(entry.values, 0.1875, 0, 1);
    if (entry.name == "running_mean" || entry.name == "nu") fill(entry.values, 0.5, 0.25, 3);
    if (entry.name == "iterations") fill(entry.values, 0, 0, 1);
  }
}

struct ExactInput {
  const char* name;
  double delta;
  std::size_t count;
  std::size_t at_m;
  double scale_norm_eps;  ///< the eps of ScaleNorm that makes sum x^2 + eps a power of 4
};

class DoubleStepOnExactInputs : public ::testing::TestWithParam<ExactInput> {};

TEST_P(DoubleStepOnExactInputs, EqualsTheOracleExactly) {
  const ExactInput& p = GetParam();
  constexpr double kEps = 0.0625;
  const auto check_exact = [](const NormOptions& options, const Tensor<double>& x) {
    for (const Mode mode : {Mode::training, Mode::inference}) {
      Case c = make_case(options, x, mode, "exact");
      round_inputs_to_dyadic_numbers(c);
      ASSERT_TRUE(equals_exactly(run<double>(c), run_oracle(c, Method::reverse))) << c.name();
    }
  };
  const auto centred_rows = make_input_of_exact_pairs(4, p.count, true, 5, p.delta, p.at_m);
  const auto rows = make_input_of_exact_pairs(4, p.count, true, 0, p.delta, p.at_m);
  const auto centred_columns = make_input_of_exact_pairs(p.count, 4, false, 5, p.delta, p.at_m);
  const auto columns = make_input_of_exact_pairs(p.count, 4, false, 0, p.delta, p.at_m);
  check_exact(model::LayerNormOptions{.eps = kEps}, centred_rows);
  check_exact(model::GroupNormOptions{.eps = kEps}, centred_rows);
  check_exact(model::RMSNormOptions{.eps = kEps}, rows);
  check_exact(model::GroupScalingOptions{.eps = kEps}, rows);
  check_exact(model::ScaleNormOptions{.eps = p.scale_norm_eps}, rows);
  check_exact(
      model::BatchNormOptions{
          .eps = kEps, .running_decay = 0.75, .unbiased_running_variance = false},
      centred_columns);
  check_exact(model::BatchRenormOptions{.eps = kEps, .running_decay = 0.5, .r_max = 2, .d_max = 1},
              centred_columns);
  check_exact(model::PowerNormVOptions{.eps = kEps, .running_decay = 0.5}, columns);
  check_exact(model::PowerNormOptions{.eps = kEps, .alpha_forward = 0.5, .alpha_backward = 0.75},
              columns);
  check_exact(
      model::PowerNormReleasedOptions{
          .eps = kEps, .alpha_forward = 0.5, .alpha_backward = 0.75, .group_scaling = false},
      columns);
  check_exact(model::PowerNormReleasedOptions{.eps = kEps,
                                              .alpha_forward = 0.5,
                                              .alpha_backward = 0.75,
                                              .warmup_iterations = 0,
                                              .group_scaling = false,
                                              .pads_in_backward = false,
                                              .scaled_nu = false},
              columns);
}

INSTANTIATE_TEST_SUITE_P(Inputs, DoubleStepOnExactInputs,
                         ::testing::Values(ExactInput{"three_quarters_of_8", 0.5, 8, 2, 2.5},
                                           ExactInput{"three_quarters_of_32", 0.5, 32, 8, 10},
                                           ExactInput{"fifteen_sixteenths_of_32", 1, 32, 2, 34},
                                           ExactInput{"three_quarters_of_64", 0.5, 64, 16, 4}),
                         [](const auto& exact) { return exact.param.name; });

TEST(DoubleStep, IsExactForInstanceNormOnExactInputs) {
  Tensor<double> x = empty_tensor<double>({2, 8, 3});
  const auto columns = make_input_of_exact_pairs(8, 3, false, 5, 0.5, 2);
  for (std::size_t b = 0; b < 2; ++b)
    std::copy_n(columns.data(), columns.size(), x.data() + b * columns.size());
  Case c = make_case(model::InstanceNormOptions{.eps = 0.0625}, x, Mode::training, "exact");
  round_inputs_to_dyadic_numbers(c);
  EXPECT_TRUE(equals_exactly(run<double>(c), run_oracle(c, Method::reverse)));
  c.inputs.x(1, 3, 2) += 0.1;
  EXPECT_FALSE(equals_exactly(run<double>(c), run_oracle(c, Method::reverse)));
}

}  // namespace
}  // namespace normproof::verification::checks::oracle
