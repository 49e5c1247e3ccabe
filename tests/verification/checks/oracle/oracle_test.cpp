/// Tests the oracle alone, with values computed by hand.

#include "verification/checks/oracle/oracle.hpp"

#include <gtest/gtest.h>

#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/checks/oracle/lenses.hpp"

namespace normproof::verification::checks::oracle {
namespace {

namespace model = ref::model;
using ref::tensor::full_tensor;

Tensor<oracle100> column(const std::vector<double>& values) {
  Tensor<oracle100> t = empty_tensor<oracle100>({values.size(), 1});
  for (std::size_t i = 0; i < values.size(); ++i) t.data()[i] = oracle100(values[i]);
  return t;
}

void expect_values(const Tensor<oracle100>& got, const std::vector<double>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(got.data()[i], oracle100(expected[i])) << i;
}

/// For x = [[1,2],[2,3]] and eps = 3/4, all rows and columns have the variance 1/4, so sigma = 1.
TEST(Oracle, MatchesATextbookExampleOfLayerNormAndBatchNorm) {
  OracleInputs inputs{.x = empty_tensor<oracle100>({2, 2})};
  inputs.x(0, 0) = 1;
  inputs.x(0, 1) = inputs.x(1, 0) = 2;
  inputs.x(1, 1) = 3;
  const auto rows = step(model::LayerNormOptions{.eps = 0.75}, inputs, {});
  expect_values(rows.outputs.at("y"), {-0.5, 0.5, -0.5, 0.5});
  expect_values(rows.outputs.at("mean"), {1.5, 2.5});
  const model::BatchNormOptions batch{.eps = 0.75, .running_decay = 0.5};
  const auto columns = step(batch, inputs, initial_state(batch, 2));
  expect_values(columns.outputs.at("y"), {-0.5, -0.5, 0.5, 0.5});
  expect_values(columns.outputs.at("biased_variance"), {0.25, 0.25});
  expect_values(columns.state.at("running_mean"), {0.75, 1.25});
  expect_values(columns.state.at("running_variance"), {0.75, 0.75});
}

/// For x = (3, 3, 3, 3) and eps = 7, psi^2 is 9, so PN-V divides by the root of 16, which is 4. In
/// this channel grad_y is g = (1, 0, 0, 0), so `dx_i = (g_i - x_hat mean(g x_hat)) / 4` with x_hat
/// = 3/4.
TEST(Oracle, MatchesHandComputedPowerNormV) {
  OracleInputs inputs{.x = column({3, 3, 3, 3})};
  inputs.grad_y = column({1, 0, 0, 0});
  const model::PowerNormVOptions options{.eps = 7, .running_decay = 0.5};
  for (const Method method : {Method::dual, Method::complex_step, Method::reverse}) {
    const auto got = step(options, inputs, initial_state(options, 1), method);
    expect_values(got.outputs.at("y"), {0.75, 0.75, 0.75, 0.75});
    expect_values(got.outputs.at("quadratic_mean"), {9});
    const double c = 9.0 / 64;
    expect_values(got.outputs.at("grad_x"), {(1 - c) / 4, -c / 4, -c / 4, -c / 4});
    expect_values(got.outputs.at("grad_gamma"), {0.75});
    expect_values(got.outputs.at("grad_beta"), {1});
    expect_values(got.state.at("running_psi2"), {5});
  }
}

/// A padded row is normalized too. Its gradient flows into the statistic, although the statistic
/// does not depend on the row itself.
TEST(Oracle, MatchesHandComputedMaskedPowerNormV) {
  OracleInputs inputs{.x = column({3, 3, 8})};
  inputs.grad_y = column({0, 0, 1});
  inputs.valid = mask_of_bits({3, 1}, 0b011);
  const model::PowerNormVOptions options{.eps = 7};
  const auto got = step(options, inputs, initial_state(options, 1));
  expect_values(got.outputs.at("y"), {0.75, 0.75, 2});
  expect_values(got.outputs.at("grad_x"), {-0.75 * 1 / 4, -0.75 * 1 / 4, 0.25});
}

/// Runs two steps of PowerNorm. In both, rstd = 1/4, because running_psi2 and psi2 of the batch are
/// 9 and eps is 7.
TEST(Oracle, MatchesTwoHandComputedPowerNormSteps) {
  const model::PowerNormOptions options{.eps = 7, .alpha_forward = 0.5, .alpha_backward = 0.5};
  OracleInputs inputs{.x = column({3, -3})};
  inputs.grad_y = column({1, 0});
  auto state = initial_state(options, 1);
  state.at("running_psi2") = full_tensor<oracle100>({1}, 9);
  const auto first = step(options, inputs, state);
  expect_values(first.outputs.at("mean_x_hat_squared"), {0.5625});
  expect_values(first.outputs.at("mean_g_x_hat"), {0.375});
  expect_values(first.outputs.at("grad_x"), {0.25, 0});
  expect_values(first.state.at("nu"), {0.1875});
  expect_values(first.state.at("running_psi2"), {9});
  expect_values(first.state.at("iterations"), {1});
  const auto second = step(options, inputs, first.state);
  expect_values(second.outputs.at("grad_x"), {(1 - 0.1875 * 0.75) / 4, 0.1875 * 0.75 / 4});
  expect_values(second.state.at("nu"), {0.1875 * (1 - 0.5 * 0.5625) + 0.5 * 0.375});
}

/// The released code of PowerNorm stores nu / (1 - alpha). Its gradients equal the gradients by the
/// paper's formula, if the code and the formula divide by the same psi.
TEST(Oracle, NuOfReleasedPowerNormIsNuOfThePaperDividedByOneMinusAlpha) {
  const model::PowerNormOptions paper{.eps = 7, .alpha_forward = 0.5, .alpha_backward = 0.75};
  const model::PowerNormReleasedOptions released{.eps = 7,
                                                 .alpha_forward = 0.5,
                                                 .alpha_backward = 0.75,
                                                 .warmup_iterations = 0,
                                                 .group_scaling = false,
                                                 .divide_by_batch_psi = false,
                                                 .pads_in_backward = false};
  Case c = make_case(paper, normal("scaled nu", {5, 2}, 0, 2), Mode::training, "scaled nu");
  Case r = c;
  r.options = released;
  r.state.at("nu") = c.state.at("nu") * 4;
  const auto of_paper = run_oracle(c, Method::reverse);
  const auto of_release = run_oracle(r, Method::reverse);
  const oracle100 tiny = ldexp(oracle100(1), -320);
  for (std::size_t i = 0; i < 10; ++i)
    EXPECT_LE(
        abs(of_paper.outputs.at("grad_x").data()[i] - of_release.outputs.at("grad_x").data()[i]),
        tiny);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_LE(abs(of_paper.state.at("nu").data()[i] - of_release.state.at("nu").data()[i] / 4),
              tiny);
}

TEST(Oracle, PowerNormSumsLambdaIfAlphaBackwardIsOne) {
  const model::PowerNormReleasedOptions options{.alpha_backward = 1, .group_scaling = false};
  const Case c = make_case(options, normal("alpha 1", {5, 2}, 0, 2), Mode::training, "alpha 1");
  const auto bound = run<running_error>(c);
  EXPECT_TRUE(agrees_with_oracle(run<oracle100>(c), run_oracle(c, Method::reverse), bound));
}

TEST(Oracle, InitialStateMatchesTheReference) {
  for (const auto& options : options_of_every_layer(3)) {
    const auto expected = ref::norm::initial_state<oracle100>(options, 3);
    const auto got = initial_state(options, 3);
    ASSERT_EQ(got.names(), expected.names());
    for (const auto& entry : got) EXPECT_EQ(entry.values, expected.at(entry.name)) << entry.name;
  }
}

TEST(Oracle, C10_RejectsTheStateOfAnotherLayerOrShape) {
  const OracleInputs inputs{.x = column({1, 2})};
  const model::BatchNormOptions options{};
  const auto refusal = [&](const NamedTensors<oracle100>& state) {
    return ref::numeric::contract_message([&] { step(options, inputs, state); });
  };
  EXPECT_EQ(refusal({}), "oracle: state lacks running_mean; expected that of initial_state (C10)");
  EXPECT_EQ(refusal(initial_state(options, 2)),
            "oracle: running_mean has shape [2]; expected shape [1] (C10)");
}

}  // namespace
}  // namespace normproof::verification::checks::oracle
