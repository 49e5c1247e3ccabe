/// Intervals and balls must contain the value that the definition gives, and must be narrow. On
/// steps with rational results they must contain the exact rational number, which shows that they
/// are rounded outward.

#include <gmp.h>
#include <gtest/gtest.h>
#include <mpfi.h>

#include <limits>

#include "tests/verification/checks/oracle/lenses.hpp"
#include "verification/checks/oracle/cells.hpp"

namespace normproof::verification::checks::oracle {
namespace {

namespace model = ref::model;
using ref::numeric::ball;
using ref::numeric::interval;
using ref::numeric::rational;

struct Endpoints {
  oracle100 lower;
  oracle100 upper;
};

/// Returns the two ends as 100-digit numbers. For an interval of 50 digits they are exact. The ends
/// of a ball are rounded outward.
Endpoints find_endpoints(const interval& x) {
  Endpoints ends;
  mpfi_get_left(ends.lower.backend().data(), x.backend().data());
  mpfi_get_right(ends.upper.backend().data(), x.backend().data());
  return ends;
}
Endpoints find_endpoints(const ball& x) {
  Endpoints ends;
  arb_get_interval_mpfr(ends.lower.backend().data(), ends.upper.backend().data(), x.get());
  return ends;
}

/// Runs the step with the enclosure type T. Every element must contain the expected value. No
/// enclosure may be wider than 2^12 times the running error bound of `double`, scaled to the
/// precision of T.
template <class T>
void check_encloses(const Case& c, int digits) {
  const auto got = run<T>(c);
  const auto expected = run_oracle(c, Method::reverse);
  const auto bound = run<running_error>(c);
  const auto check = [&](const NamedTensors<T>& enclosures, const NamedTensors<oracle100>& values,
                         const NamedTensors<running_error>& errors) {
    ASSERT_EQ(enclosures.names(), values.names()) << c.name();
    for (const auto& entry : enclosures) {
      const auto& value = values.at(entry.name);
      const auto limit = scaled_bound(errors.at(entry.name), digits - 2);
      ASSERT_EQ(shape_of(entry.values), shape_of(value)) << c.name();
      for (std::size_t i = 0; i < value.size(); ++i) {
        const Endpoints ends = find_endpoints(entry.values.data()[i]);
        ASSERT_TRUE(ends.lower <= value.data()[i] && value.data()[i] <= ends.upper)
            << c.name() << " " << entry.name << " element " << i << ": " << ends.lower << " .. "
            << ends.upper << " does not hold " << value.data()[i];
        ASSERT_TRUE(ends.upper - ends.lower <= limit.data()[i])
            << c.name() << " " << entry.name << " element " << i << ": " << ends.lower << " .. "
            << ends.upper << " is wide, limit " << limit.data()[i];
      }
    }
  };
  ASSERT_NO_FATAL_FAILURE(check(got.outputs, expected.outputs, bound.outputs));
  ASSERT_NO_FATAL_FAILURE(check(got.state, expected.state, bound.state));
}

void check_intervals_and_balls(const Case& c) {
  ASSERT_NO_FATAL_FAILURE(check_encloses<interval>(c, std::numeric_limits<interval>::digits));
  ASSERT_NO_FATAL_FAILURE(check_encloses<ball>(c, static_cast<int>(ball::precision())));
}

TEST(Enclosures, ContainTheOracleForRandomSteps) {
  for (const Shape& shape : {Shape{1, 1}, Shape{2, 3}, Shape{7, 5}, Shape{40, 2}, Shape{2, 3, 4}})
    for (const auto& options : options_of_every_layer(shape.back()))
      for (const Mode mode : {Mode::training, Mode::inference}) {
        Case c = make_case(options, normal("enclosure", shape, 0.5, 2), mode, "enclosure");
        const auto* batch_norm = std::get_if<model::BatchNormOptions>(&options);
        if (shape[0] == 1 && batch_norm != nullptr && batch_norm->unbiased_running_variance)
          continue;
        ASSERT_NO_FATAL_FAILURE(check_intervals_and_balls(c));
        if (shape.size() != 3) continue;
        c.inputs.valid = mask_of_bits(shape, 0b110101);
        ASSERT_NO_FATAL_FAILURE(check_intervals_and_balls(c));
      }
}

TEST(Enclosures, ContainTheOracleForIllConditionedSteps) {
  for (const double offset : {1e4, 1e8})
    for (const auto& options : options_of_every_layer(4))
      ASSERT_NO_FATAL_FAILURE(check_intervals_and_balls(
          make_case(options, normal("conditioned", {6, 4}, offset, 1), Mode::training, "bad")));
}

TEST(Enclosures, AreWiderWithFewerBitsAndStillContainTheOracle) {
  const Case c = make_case(model::BatchNormOptions{}, normal("few bits", {9, 3}, 1e3, 1),
                           Mode::training, "few bits");
  const auto width = [&] {
    const Endpoints ends = find_endpoints(run<ball>(c).outputs.at("y").data()[0]);
    return oracle100(ends.upper - ends.lower);
  };
  const oracle100 wide_before = width();
  const ref::numeric::BallPrecision low_precision(60);
  EXPECT_GT(width(), 0x1p60 * wide_before);
  ASSERT_NO_FATAL_FAILURE(check_encloses<ball>(c, 60));
}

/// Compares the end of an enclosure with a rational number in exact arithmetic.
int compare_exactly(const oracle100& end, const rational& value) {
  mpq_t q;
  mpq_init(q);
  mpq_set_str(q, value.str().c_str(), 10);
  const int order = mpfr_cmp_q(end.backend().data(), q);
  mpq_clear(q);
  return order;
}

template <class T>
void check_contains_rationals(const Tensor<T>& enclosures, const std::vector<rational>& values,
                              const std::string& name, int& rounded) {
  ASSERT_EQ(enclosures.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Endpoints ends = find_endpoints(enclosures.data()[i]);
    EXPECT_LE(compare_exactly(ends.lower, values[i]), 0) << name << " " << i;
    EXPECT_GE(compare_exactly(ends.upper, values[i]), 0) << name << " " << i;
    if (ends.lower < ends.upper) ++rounded;
  }
}

/// Uses a channel of PowerNorm with running_psi2 + eps = 1/4. Then rstd is 2 and the whole step is
/// rational.
TEST(Enclosures, ContainExactRationalsOfPowerNorm) {
  const std::size_t n = 7;
  const model::PowerNormOptions options{
      .eps = 0.0625, .alpha_forward = 0.9, .alpha_backward = 0.8, .warmup_iterations = 0};
  Case c = make_case(options, normal("rational", {n, 1}, 1, 2), Mode::training, "rational");
  c.state.at("running_psi2").data()[0] = 0.1875;
  const auto exact = [](double x) { return rational(x); };
  const rational gamma = exact(c.inputs.gamma.data()[0]);
  const rational nu = exact(c.state.at("nu").data()[0]);
  rational square = 0;
  rational mean_square = 0;
  rational mean_product = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const rational x = exact(c.inputs.x.data()[i]);
    square += x * x / 7;
    mean_square += 4 * x * x / 7;
    mean_product += gamma * exact(c.inputs.grad_y.data()[i]) * 2 * x / 7;
  }
  const rational w = 1 - exact(0.8);
  const auto check = [&]<class T>(T) {
    const auto got = run<T>(c);
    int rounded = 0;
    check_contains_rationals(got.outputs.at("quadratic_mean"), {square}, "quadratic_mean", rounded);
    check_contains_rationals(got.outputs.at("mean_x_hat_squared"), {mean_square}, "Gamma", rounded);
    check_contains_rationals(got.outputs.at("mean_g_x_hat"), {mean_product}, "Lambda", rounded);
    check_contains_rationals(got.state.at("nu"), {nu + w * (mean_product - nu * mean_square)}, "nu",
                             rounded);
    check_contains_rationals(got.state.at("running_psi2"),
                             {exact(0.9) * rational(3, 16) + (1 - exact(0.9)) * square},
                             "running_psi2", rounded);
    // A multiple of 1/7 has no finite expansion unless it is an integer.
    EXPECT_GE(rounded, 3);
  };
  check(interval());
  check(ball());
}

TEST(Enclosures, ContainExactRationalsOfBatchNorm) {
  const std::size_t n = 7;
  const Case c = make_case(model::BatchNormOptions{.running_decay = 0.3},
                           normal("rational", {n, 1}, 1, 2), Mode::training, "rational");
  rational mean = 0;
  for (std::size_t i = 0; i < n; ++i) mean += rational(c.inputs.x.data()[i]) / 7;
  rational variance = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const rational d = rational(c.inputs.x.data()[i]) - mean;
    variance += d * d / 7;
  }
  const rational decay(0.3);
  const rational old_mean(c.state.at("running_mean").data()[0]);
  const rational old_variance(c.state.at("running_variance").data()[0]);
  const auto check = [&]<class T>(T) {
    const auto got = run<T>(c);
    int rounded = 0;
    check_contains_rationals(got.outputs.at("mean"), {mean}, "mean", rounded);
    check_contains_rationals(got.outputs.at("biased_variance"), {variance}, "biased_variance",
                             rounded);
    check_contains_rationals(got.state.at("running_mean"), {decay * old_mean + (1 - decay) * mean},
                             "mean", rounded);
    check_contains_rationals(got.state.at("running_variance"),
                             {decay * old_variance + (1 - decay) * variance * rational(7, 6)},
                             "variance", rounded);
    // A multiple of 1/7 has no finite expansion unless it is an integer.
    EXPECT_GE(rounded, 3);
  };
  check(interval());
  check(ball());
}

}  // namespace
}  // namespace normproof::verification::checks::oracle
