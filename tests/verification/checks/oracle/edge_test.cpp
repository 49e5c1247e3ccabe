/// For edge cases of extents and values, a layer either returns what the definition says, or throws
/// a ContractError that names function, argument and expectation.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ref/numeric/errors.hpp"
#include "tests/ref/numeric/special_values.hpp"
#include "tests/verification/checks/oracle/lenses.hpp"
#include "verification/checks/oracle/cells.hpp"

namespace normproof::verification::checks::oracle {
namespace {

namespace model = ref::model;
using ref::numeric::ContractError;
using ref::tensor::full_tensor;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

using ref::numeric::kInfinity;
using ref::numeric::kNaN;

/// Returns the message of the ContractError that the step in `double` throws, or "" if it throws
/// none.
std::string refusal(const Case& c) {
  try {
    run<double>(c);
  } catch (const ContractError& e) {
    return e.what();
  }
  return "";
}

void expect_refused(const Case& c, const std::string& argument) {
  const std::string message = refusal(c);
  EXPECT_THAT(message, MatchesRegex("[a-z_]+: " + argument + " .*; expected .*")) << c.name();
}

void expect_accepted(const Case& c) {
  EXPECT_EQ(refusal(c), "") << c.name();
  if (::testing::Test::HasNonfatalFailure()) return;
  const auto bound = run<running_error>(c);
  EXPECT_TRUE(has_same_values(run<double>(c), bound)) << c.name();
  EXPECT_TRUE(is_within_running_error(bound, run_oracle(c, Method::reverse))) << c.name();
}

bool needs_two_rows(const NormOptions& options) {
  const auto* batch_norm = std::get_if<model::BatchNormOptions>(&options);
  return batch_norm != nullptr && batch_norm->unbiased_running_variance;
}

TEST(EdgeCases, XWithoutRowsIsRejected) {
  for (const Shape& shape : {Shape{0, 3}, Shape{0, 2, 3}, Shape{2, 0, 3}})
    for (const auto& options : options_of_every_layer(3))
      expect_refused(make_case(options, empty_tensor<double>(shape), Mode::training, "edge"), "x");
}

TEST(EdgeCases, XWithoutFeaturesOrWithAWrongRankIsRejected) {
  for (const Shape& shape : {Shape{3, 0}, Shape{3}, Shape{1, 1, 1, 3}})
    for (const auto& options : options_of_every_layer(3)) {
      Case c = make_case(options, full_tensor<double>({1, 3}, 1), Mode::training, "edge");
      c.inputs.x = full_tensor<double>(shape, 1);
      expect_refused(c, "x");
    }
}

TEST(EdgeCases, OneRowIsHandled) {
  for (const std::size_t d : {1u, 2u, 5u})
    for (const auto& options : options_of_every_layer(d)) {
      const auto c = make_case(options, normal("one row", {1, d}, 1, 2), Mode::training, "edge");
      if (needs_two_rows(options)) {
        expect_refused(c, "(x|valid)");
      } else {
        expect_accepted(c);
      }
    }
}

TEST(EdgeCases, OneValidRowIsHandled) {
  for (const auto& options : options_of_every_layer(2)) {
    Case c = make_case(options, normal("one valid", {1, 3, 2}, 1, 2), Mode::training, "edge");
    c.inputs.valid = mask_of_bits({1, 3, 2}, 0b010);
    if (needs_two_rows(options)) {
      expect_refused(c, "(x|valid)");
    } else {
      expect_accepted(c);
    }
  }
}

TEST(EdgeCases, TwoRowsOrOneFeatureAreAccepted) {
  for (const Shape& shape : {Shape{2, 1}, Shape{2, 4}, Shape{1, 2, 1}, Shape{4, 1, 1}})
    for (const auto& options : options_of_every_layer(shape.back()))
      for (const Mode mode : {Mode::training, Mode::inference})
        expect_accepted(make_case(options, normal("two rows", shape, 1, 2), mode, "edge"));
}

TEST(EdgeCases, ConstantRowsAndZeroColumnsAreAccepted) {
  for (const auto& options : options_of_every_layer(4)) {
    auto x = normal("constant", {3, 4}, 1, 2);
    for (std::size_t d = 0; d < 4; ++d) x(1, d) = 1234;
    for (std::size_t n = 0; n < 3; ++n) x(n, 2) = 0;
    expect_accepted(make_case(options, x, Mode::training, "edge"));
    expect_accepted(make_case(options, full_tensor<double>({3, 4}, 0.1), Mode::training, "edge"));
    expect_accepted(make_case(options, full_tensor<double>({3, 4}, 0.0), Mode::training, "edge"));
  }
}

/// If eps = 0 and the statistic is 0, the divisor would be 0.
TEST(EdgeCases, StatisticOfZeroWithoutEpsIsRejected) {
  const auto zero = full_tensor<double>({3, 4}, 0.0);
  const auto subnormal = full_tensor<double>({3, 4}, 0x1p-1070);
  const NormOptions layers[] = {model::LayerNormOptions{.eps = 0},
                                model::RMSNormOptions{.eps = 0},
                                model::ScaleNormOptions{.eps = 0},
                                model::GroupScalingOptions{.eps = 0},
                                model::BatchNormOptions{.eps = 0},
                                model::PowerNormVOptions{.eps = 0},
                                model::InstanceNormOptions{.eps = 0},
                                model::GroupNormOptions{.eps = 0},
                                model::BatchRenormOptions{.eps = 0},
                                model::PowerNormOptions{.eps = 0, .warmup_iterations = 9},
                                model::PowerNormReleasedOptions{.eps = 0, .group_scaling = false}};
  for (const auto& options : layers)
    for (const auto& x : {zero, subnormal})
      expect_refused(make_case(options, x, Mode::training, "edge"), "x");
}

TEST(EdgeCases, HugeValuesAreHandledOrRejected) {
  for (const auto& options : options_of_every_layer(4)) {
    // Squares of numbers near 1e150 are finite, and so are all sums.
    expect_accepted(make_case(options, normal("huge", {3, 4}, 0, 1e150), Mode::training, "edge"));
    // Squares of numbers near 1e200 overflow, so layers reject them. Two kinds of layers accept
    // them: those without statistics, and those whose statistics here cover one element, which
    // equals its own mean.
    const auto c = make_case(options, normal("huge", {3, 4}, 0, 1e200), Mode::training, "edge");
    const std::string name = model::norm_name(options);
    const auto* group_norm = std::get_if<model::GroupNormOptions>(&options);
    const bool of_one =
        name == "instance_norm" || (group_norm != nullptr && group_norm->groups == 4);
    if (model::norm_layer(options).cells.empty() || of_one) {
      expect_accepted(c);
    } else {
      expect_refused(c, "x");
    }
    if (!of_one) continue;
    const auto y = run<double>(c).outputs.at("y");
    for (std::size_t i = 0; i < y.size(); ++i)
      EXPECT_EQ(y.data()[i], c.inputs.beta.data()[i % 4]) << c.name();
  }
}

TEST(EdgeCases, NonFiniteValuesAreRejected) {
  for (const double bad : {kInfinity, -kInfinity, kNaN})
    for (const auto& options : options_of_every_layer(4))
      for (const Mode mode : {Mode::training, Mode::inference}) {
        Case c = make_case(options, normal("finite", {3, 4}, 0, 1), mode, "edge");
        c.inputs.x(1, 2) = bad;
        expect_refused(c, "x");
        EXPECT_THAT(refusal(c), HasSubstr("[1, 2]")) << c.name();
        c = make_case(options, normal("finite", {3, 4}, 0, 1), mode, "edge");
        c.inputs.grad_y(2, 3) = bad;
        expect_refused(c, "grad_y");
        if (!is_absent(c.inputs.gamma)) {
          c = make_case(options, normal("finite", {3, 4}, 0, 1), mode, "edge");
          c.inputs.gamma.data()[0] = bad;
          expect_refused(c, "gamma");
        }
      }
}

TEST(EdgeCases, WrongShapesAreRejected) {
  for (const auto& options : options_of_every_layer(4)) {
    const Case good = make_case(options, normal("shapes", {3, 4}, 0, 1), Mode::training, "edge");
    Case c = good;
    c.inputs.grad_y = full_tensor<double>({4, 3}, 1);
    expect_refused(c, "grad_y");
    if (!is_absent(good.inputs.gamma)) {
      c = good;
      c.inputs.gamma = full_tensor<double>({5}, 1);
      expect_refused(c, "gamma");
    }
    if (uses_mask(options)) {
      c = good;
      c.inputs.valid = full_tensor<bool>({4}, true);
      expect_refused(c, "valid");
    }
    for (const auto& entry : good.state) {
      c = good;
      c.state.at(entry.name) = full_tensor<double>({7}, 1);
      expect_refused(c, entry.name);
    }
  }
}

}  // namespace
}  // namespace normproof::verification::checks::oracle
