#include "ref/norm/norm.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/ref/norm/messages.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::ref::norm {
namespace {

const Tensor<double> kNormX = {{1, 2}, {3, 5}, {-2, 4}};

TEST(NormStep, ReturnsOutputsAndStateUnderTheDocumentedNames) {
  using Names = std::vector<std::string>;
  const auto outputs = [](const char* layer, model::Mode mode) {
    const auto options = model::norm_options(layer);
    const NormInputs<double> in{.x = kNormX, .grad_y = kNormX, .mode = mode};
    return norm_step(options, in, initial_state<double>(options, 2)).outputs.names();
  };
  const auto training = model::Mode::training;
  const auto inference = model::Mode::inference;
  EXPECT_EQ(outputs("none", training), (Names{"y", "grad_x"}));
  EXPECT_EQ(outputs("layer_norm", training),
            (Names{"y", "mean", "rstd", "grad_x", "grad_gamma", "grad_beta"}));
  EXPECT_EQ(outputs("rms_norm", training),
            (Names{"y", "rstd", "grad_x", "grad_gamma", "grad_beta"}));
  EXPECT_EQ(outputs("group_scaling", training), (Names{"y", "rstd", "grad_x"}));
  EXPECT_EQ(outputs("scale_norm", training), (Names{"y", "rnorm", "grad_x", "grad_gamma"}));
  EXPECT_EQ(outputs("batch_norm", training),
            (Names{"y", "mean", "biased_variance", "rstd", "grad_x", "grad_gamma", "grad_beta"}));
  EXPECT_EQ(outputs("batch_norm", inference),
            (Names{"y", "rstd", "grad_x", "grad_gamma", "grad_beta"}));
  EXPECT_EQ(outputs("power_norm", training),
            (Names{"y", "quadratic_mean", "rstd", "mean_x_hat_squared", "mean_g_x_hat", "grad_x",
                   "grad_gamma", "grad_beta"}));
  EXPECT_EQ(outputs("power_norm", inference),
            (Names{"y", "rstd", "grad_x", "grad_gamma", "grad_beta"}));
  EXPECT_EQ(initial_state<double>(model::PowerNormReleasedOptions{}, 2).names(),
            (Names{"running_psi2", "nu", "iterations"}));
}

TEST(NormStep, InferenceDoesNotChangeTheState) {
  for (const auto& name : model::norm_names()) {
    const auto options = model::norm_options(name);
    const auto state = initial_state<double>(options, 2);
    const NormInputs<double> in{.x = kNormX, .grad_y = kNormX, .mode = model::Mode::inference};
    const auto step = norm_step(options, in, state);
    ASSERT_EQ(step.state.names(), state.names()) << name;
    for (const auto& [field, values] : state) EXPECT_BITS_EQ(step.state.at(field), values) << name;
  }
}

TEST(NormStep, C3_RejectsParametersThatTheLayerLacks) {
  const NormInputs<double> in{.x = kNormX, .gamma = {1, 1}};
  EXPECT_EQ(contract_message([&] { norm_step<double>(model::NoneOptions{}, in, {}); }),
            "none: gamma is given; expected no parameters (C3)");
  EXPECT_EQ(contract_message([&] { norm_step<double>(model::GroupScalingOptions{}, in, {}); }),
            "group_scaling: gamma is given; expected no parameters (C3)");
  const NormInputs<double> shifted{.x = kNormX, .beta = {1, 1}};
  EXPECT_EQ(contract_message([&] { norm_step<double>(model::ScaleNormOptions{}, shifted, {}); }),
            "scale_norm: beta is given; expected no beta (C3)");
}

TEST(NormStep, ErrorNamesTheMissingState) {
  EXPECT_EQ(contract_message([] {
              norm_step<double>(model::BatchNormOptions{}, NormInputs<double>{.x = kNormX}, {});
            }),
            "unknown tensor 'running_mean'; none is known here");
}

TEST(NormStep, LayerNoneRejectsNonFiniteInputs) {
  NormInputs<double> in{.x = kNormX, .grad_y = kNormX};
  in.grad_y(2, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(contract_message([&] { norm_step<double>(model::NoneOptions{}, in, {}); }),
            "none: grad_y has the element [2, 1] = nan; expected finite values (C7)");
}

TEST(NormStep, C10_RejectsFractionalIterations) {
  const model::NormOptions options = model::PowerNormOptions{};
  auto state = initial_state<double>(options, 2);
  state.set("iterations", {1.5});
  EXPECT_EQ(contract_message([&] { norm_step(options, NormInputs<double>{.x = kNormX}, state); }),
            "norm_step: iterations is 1.5; expected a whole number, 0 or more (C10)");
}

TEST(NormStep, AbsentZeroCenteredGammaScalesByOne) {
  for (const char* layer : {"layer_norm", "rms_norm"}) {
    const NormInputs<double> none{.x = kNormX, .grad_y = kNormX};
    NormInputs<double> zeros = none, ones = none, offset_gamma = none, shifted_gamma = none;
    zeros.gamma = {0, 0};
    ones.gamma = {1, 1};
    offset_gamma.gamma = {0.5, -3};
    shifted_gamma.gamma = {1.5, -2};
    const model::NormOptions usual = model::norm_options(layer);
    model::NormOptions centred = usual;
    model::set_option(centred, "zero_centred_gamma", "1");
    const auto expect_same = [](const NormStep<double>& a, const NormStep<double>& b) {
      ASSERT_EQ(a.outputs.names(), b.outputs.names());
      for (const auto& [name, values] : a.outputs) EXPECT_BITS_EQ(values, b.outputs.at(name));
    };
    expect_same(norm_step(centred, none, {}), norm_step(usual, ones, {}));
    expect_same(norm_step(centred, zeros, {}), norm_step(usual, ones, {}));
    expect_same(norm_step(centred, offset_gamma, {}), norm_step(usual, shifted_gamma, {}));
  }
}

TEST(NormStep, C13_RejectsLayoutsOtherThanRows) {
  const NormInputs<double> in{.x = kNormX};
  EXPECT_EQ(contract_message([&] {
              norm_step<double>(model::GroupNormOptions{.layout = model::Layout::channels_last}, in,
                                {});
            }),
            "group_norm: layout is not rows; expected rows (C13)");
}

TEST(NormForward, C13_RejectsLayoutsOtherThanRows) {
  const NormInputs<double> in{.x = kNormX};
  const model::NormOptions options =
      model::BatchNormOptions{.layout = model::Layout::channels_first};
  EXPECT_EQ(contract_message(
                [&] { norm_forward<double>(options, in, initial_state<double>(options, 2)); }),
            "batch_norm: layout is not rows; expected rows (C13)");
}

TEST(NormBackward, C13_RejectsLayoutsOtherThanRows) {
  const NormInputs<double> in{.x = kNormX, .grad_y = kNormX};
  model::NormOptions options = model::BatchNormOptions{};
  const auto forward = norm_forward<double>(options, in, initial_state<double>(options, 2));
  options = model::BatchNormOptions{.layout = model::Layout::channels_last};
  EXPECT_EQ(contract_message([&] { norm_backward<double>(options, in, forward); }),
            "batch_norm: layout is not rows; expected rows (C13)");
}

TEST(NormStep, AddsTheOneOfZeroCenteredGamma) {
  const NormInputs<double> in{.x = kNormX, .gamma = {0.5, -0.25}, .grad_y = kNormX};
  NormInputs<double> plain = in;
  plain.gamma = {1.5, 0.75};
  const auto got = norm_step<double>(model::LayerNormOptions{.zero_centred_gamma = true}, in, {});
  const auto expected = norm_step<double>(model::LayerNormOptions{}, plain, {});
  for (const char* name : {"y", "grad_x", "grad_gamma", "grad_beta"})
    EXPECT_BITS_EQ(got.outputs.at(name), expected.outputs.at(name));
}

}  // namespace
}  // namespace normproof::ref::norm
