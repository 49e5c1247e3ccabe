#include "ref/norm/power_norm_released.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>

#include "ref/norm/group_scaling.hpp"
#include "ref/numeric/elementary.hpp"
#include "tests/ref/norm/broken_layer.hpp"
#include "tests/ref/norm/messages.hpp"
#include "tests/ref/norm/power_norm_sequence.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::ref::norm {
namespace {

using model::Mode;
using model::PowerNormReleasedOptions;
using numeric::running_error;

const Tensor<double> kReleasedX = column({2, -2, 2, 2});
const Affine<double> kReleasedAffine{{3}, {1}};
const PowerNormState<double> kReleasedState{.running_psi2 = {16}, .nu = {3}, .iterations = 7};

/// Returns options of power_norm_released without group scaling and without a warm-up.
PowerNormReleasedOptions options_without_groups() {
  return {.eps = 0,
          .alpha_forward = 0.5,
          .alpha_backward = 0.5,
          .warmup_iterations = 0,
          .group_scaling = false};
}

/// Returns options with every switch off. They describe PowerNorm as in the paper.
PowerNormReleasedOptions options_with_all_switches_off() {
  PowerNormReleasedOptions o;
  o.group_scaling = o.divide_by_batch_psi = o.cumulative_warmup_average = o.pads_in_backward =
      o.scaled_nu = false;
  return o;
}

TEST(PowerNormReleased, MatchesHandComputedValues) {
  const auto forward = power_norm_released(kReleasedX, kReleasedAffine, {}, kReleasedState,
                                           options_without_groups());
  EXPECT_BITS_EQ(forward.saved.rstd, (Tensor<double>{0.25}));
  EXPECT_BITS_EQ(forward.saved.batch_rstd, (Tensor<double>{0.5}));
  EXPECT_BITS_EQ(forward.y, column({2.5, -0.5, 2.5, 2.5}));
  EXPECT_BITS_EQ(forward.state.running_psi2, (Tensor<double>{10}));
  EXPECT_EQ(forward.state.iterations, 8);
  const auto backward =
      power_norm_released_backward(column({4, 0, 0, 0}), kReleasedX, kReleasedAffine, {},
                                   forward.saved, kReleasedState.nu, options_without_groups());
  // g - (1 - 0.5) 3 x_hat = (11.25, 0.75, -0.75, -0.75); divided by psi_B = 2, not by 4
  EXPECT_BITS_EQ(backward.gradients.grad_x, column({5.625, 0.375, -0.375, -0.375}));
  EXPECT_BITS_EQ(backward.nu, (Tensor<double>{4.125}));  // 3 + 4.5/4
  EXPECT_BITS_EQ(backward.mean_x_hat_squared, (Tensor<double>{0.25}));
  EXPECT_BITS_EQ(backward.mean_g_x_hat, (Tensor<double>{1.5}));
  EXPECT_BITS_EQ(backward.gradients.grad_gamma, (Tensor<double>{2}));
  EXPECT_BITS_EQ(backward.gradients.grad_beta, (Tensor<double>{4}));
}

TEST(PowerNormReleased, ScaledNuIsAMultipleOfNuInThePaper) {
  const model::PowerNormOptions paper{.eps = 0, .alpha_forward = 0.5, .alpha_backward = 0.5};
  const auto forward = power_norm(kReleasedX, kReleasedAffine, {}, {{16}, {1.5}}, paper);
  const auto backward = power_norm_backward(column({4, 0, 0, 0}), kReleasedX, kReleasedAffine, {},
                                            forward.saved, {1.5}, paper);
  EXPECT_BITS_EQ(backward.nu, (Tensor<double>{0.5 * 4.125}));
  // and grad_x differs by sqrt((psi^2 + eps)/(psi_B^2 + eps)) = 4/2
  EXPECT_BITS_EQ(backward.gradients.grad_x, column({2.8125, 0.1875, -0.1875, -0.1875}));
}

TEST(PowerNormReleased, OptionPadsInBackwardIncludesPaddedRows) {
  const Mask valid = {true, true, false, true};
  const Tensor<double> x = column({2, -2, 12, 2}), grad_y = column({4, 0, 0, 2});
  auto options = options_without_groups();
  const auto forward = power_norm_released(x, {}, valid, kReleasedState, options);
  EXPECT_BITS_EQ(forward.saved.quadratic_mean, (Tensor<double>{4}));
  const auto with =
      power_norm_released_backward(grad_y, x, {}, valid, forward.saved, kReleasedState.nu, options);
  EXPECT_BITS_EQ(with.mean_x_hat_squared, (Tensor<double>{2.4375}));
  EXPECT_BITS_EQ(with.mean_g_x_hat, (Tensor<double>{0.75}));
  EXPECT_BITS_EQ(with.gradients.grad_x, column({1.625, 0.375, -2.25, 0.625}));
  EXPECT_BITS_EQ(with.nu, (Tensor<double>{0.09375}));
  options.pads_in_backward = false;
  const auto without =
      power_norm_released_backward(grad_y, x, {}, valid, forward.saved, kReleasedState.nu, options);
  EXPECT_BITS_EQ(without.gradients.grad_x, column({1.625, 0.375, 0, 0.625}));
  EXPECT_BITS_EQ(without.nu, (Tensor<double>{3.625}));
}

/// Runs three steps from running_psi2 = 16 on batches with the quadratic means 4, 16 and 4.
/// Compares rstd and running_psi2 of each step with the expected values.
void expect_warmup_statistics(std::int64_t warmup_iterations, bool cumulative,
                              const std::vector<double>& rstd,
                              const std::vector<double>& running_psi2) {
  auto options = options_without_groups();
  options.warmup_iterations = warmup_iterations;
  options.cumulative_warmup_average = cumulative;
  PowerNormState<double> state{.running_psi2 = {16}, .nu = {0}, .iterations = 0};
  for (std::size_t n = 1; n <= 3; ++n) {
    const auto forward = power_norm_released(column({n == 2 ? 4.0 : 2.0, -2.0 * (n == 2 ? 2 : 1)}),
                                             {}, {}, state, options);
    EXPECT_BITS_EQ(forward.saved.rstd, (Tensor<double>{rstd[n - 1]}))
        << "W = " << warmup_iterations << ", n = " << n;
    EXPECT_BITS_EQ(forward.state.running_psi2, (Tensor<double>{running_psi2[n - 1]}))
        << "W = " << warmup_iterations << ", n = " << n;
    state = forward.state;
  }
}

TEST(PowerNormReleased, WarmupHasTheDocumentedNumberOfIterations) {
  const double root_10 = 1 / numeric::square_root(10), root_13 = 1 / numeric::square_root(13);
  expect_warmup_statistics(0, true, {0.25, root_10, root_13}, {10, 13, 8.5});
  // W = 1: iteration 1 is normalized by its batch; the cumulative mean has already ended.
  expect_warmup_statistics(1, true, {0.5, root_10, root_13}, {10, 13, 8.5});
  // W = 2: iteration 1 forgets the initial state; 2 is normalized by its batch; 3 by the running
  // psi.
  expect_warmup_statistics(2, true, {0.5, 0.25, root_10}, {4, 10, 7});
  // W = 3: iteration 2 has both updates: 4/2 + 16/2 = 10, then 10/2 + 16/2 = 13
  expect_warmup_statistics(3, true, {0.5, 0.25, 0.5}, {4, 13, 8.5});
  expect_warmup_statistics(3, false, {0.5, 0.25, 0.5}, {10, 13, 8.5});
}

TEST(PowerNormReleased, AppliesGroupScalingFirst) {
  PowerNormReleasedOptions options{.warmup_iterations = 0, .groups = 2, .group_eps = 0.5};
  const model::GroupScalingOptions scaling{.eps = 0.5, .groups = 2};
  const auto in = make_sequence_inputs(5, 0, 6, 4, 2);
  const PowerNormState<double> state{{2, 1, 0.5, 3}, {1, -1, 0.5, 0}, 0};
  const auto forward = power_norm_released(in.x, {in.gamma, in.beta}, in.valid, state, options);
  const auto backward = power_norm_released_backward(in.grad_y, in.x, {in.gamma, in.beta}, in.valid,
                                                     forward.saved, state.nu, options);
  const auto scaled = group_scaling(in.x, scaling);
  options.group_scaling = false;
  const auto inner = power_norm_released(scaled.y, {in.gamma, in.beta}, in.valid, state, options);
  const auto inner_backward = power_norm_released_backward(
      in.grad_y, scaled.y, {in.gamma, in.beta}, in.valid, inner.saved, state.nu, options);
  EXPECT_BITS_EQ(forward.y, inner.y);
  EXPECT_BITS_EQ(forward.saved.group_rstd, scaled.rstd);
  EXPECT_BITS_EQ(forward.state.running_psi2, inner.state.running_psi2);
  EXPECT_BITS_EQ(backward.nu, inner_backward.nu);
  EXPECT_BITS_EQ(backward.gradients.grad_x, group_scaling_backward(inner_backward.gradients.grad_x,
                                                                   in.x, scaled.rstd, scaling));
}

TEST(PowerNormReleased, InferenceAppliesGroupScalingAndKeepsTheState) {
  PowerNormReleasedOptions options{.eps = 0, .group_eps = 0};
  const PowerNormState<double> state{{4, 16}, {3, 3}, 7};
  const auto forward =
      power_norm_released<double>({{8, 0}, {3, -3}}, {}, {}, state, options, Mode::inference);
  const double rstd = 1 / numeric::square_root(32);
  EXPECT_BITS_EQ(forward.y, (Tensor<double>{{8 * rstd / 2, 0}, {0.5, -0.25}}));
  EXPECT_BITS_EQ(forward.state.running_psi2, state.running_psi2);
  EXPECT_BITS_EQ(forward.state.nu, state.nu);
  EXPECT_EQ(forward.state.iterations, 7);
  EXPECT_EQ(forward.saved.batch_rstd.dimension(), 0U);
  const auto backward =
      power_norm_released_backward<double>({{0, 0}, {2, 0}}, {{8, 0}, {3, -3}}, {}, {},
                                           forward.saved, state.nu, options, Mode::inference);
  // g rstd = (1, 0); the backward of group scaling removes its part along (1, -1) and divides the
  // rest by 3
  const double third = 1 / 3.0;
  EXPECT_BITS_EQ(backward.gradients.grad_x, (Tensor<double>{{0, 0}, {0.5 * third, 0.5 * third}}));
  EXPECT_BITS_EQ(backward.nu, state.nu);
}

RC_GTEST_PROP(PowerNormReleased, EqualsPowerNormBitForBitWithEverySwitchOff, ()) {
  const auto within = [](std::size_t least, std::size_t past) {
    return *rc::gen::resize(100, rc::gen::inRange(least, past));
  };
  const auto rows = within(1, 40), features = within(1, 6), padded = within(0, rows);
  const auto seed = static_cast<std::uint64_t>(within(0, 1000000));
  auto released = options_with_all_switches_off();
  released.eps = *rc::gen::element(1e-12, 1e-5, 0.25);
  released.alpha_forward = *rc::gen::element(0.0, 0.5, 0.9, 0.99, 1.0);
  released.alpha_backward = *rc::gen::element(0.0, 0.5, 0.9, 0.99, 1.0);
  released.warmup_iterations = static_cast<std::int64_t>(within(0, 6));
  released.groups = static_cast<std::int64_t>(within(1, 100));  // not read without group scaling
  const model::PowerNormOptions paper{.eps = released.eps,
                                      .alpha_forward = released.alpha_forward,
                                      .alpha_backward = released.alpha_backward,
                                      .warmup_iterations = released.warmup_iterations};
  const auto a = run_sequence(released, seed, 5, rows, features, padded);
  const auto b = run_sequence(paper, seed, 5, rows, features, padded);
  for (std::size_t t = 0; t < b.size(); ++t) {
    for (const auto& [name, values] : b[t].outputs)
      RC_ASSERT(verification::checks::compare::compare_bits(a[t].outputs.at(name), values).passed);
    for (const auto& [name, values] : b[t].state)
      RC_ASSERT(verification::checks::compare::compare_bits(a[t].state.at(name), values).passed);
  }
}

/// Returns the names of the outputs and states whose values differ in some step by more than their
/// rounding errors.
std::vector<std::string> find_differing_tensors(const std::vector<NormStep<running_error>>& a,
                                                const std::vector<NormStep<running_error>>& b) {
  std::vector<std::string> names;
  const auto compare = [&](const auto& left, const auto& right) {
    for (const auto& [name, values] : right) {
      const auto& other = left.at(name);
      for (std::size_t i = 0; i < values.size(); ++i) {
        const running_error u = other.data()[i], v = values.data()[i];
        if (std::fabs(u.value - v.value) <= u.error + v.error) continue;
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      }
    }
  };
  for (std::size_t t = 0; t < a.size(); ++t) {
    compare(a[t].outputs, b[t].outputs);
    compare(a[t].state, b[t].state);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> find_outputs_changed_by_option(const std::string& field) {
  PowerNormReleasedOptions base = options_with_all_switches_off();
  base.warmup_iterations = 3;
  base.groups = 2;
  model::NormOptions changed = base;
  model::set_option(changed, field, "1");
  return find_differing_tensors(run_sequence<running_error>(changed, 6, 6, 8, 4, 3),
                                run_sequence<running_error>(base, 6, 6, 8, 4, 3));
}

using Names = std::vector<std::string>;

TEST(PowerNormReleased, EachSwitchChangesOnlyTheDocumentedOutputs) {
  EXPECT_EQ(find_outputs_changed_by_option("scaled_nu"), (Names{"nu"}));
  EXPECT_EQ(find_outputs_changed_by_option("divide_by_batch_psi"), (Names{"grad_x"}));
  EXPECT_EQ(find_outputs_changed_by_option("pads_in_backward"),
            (Names{"grad_x", "mean_g_x_hat", "mean_x_hat_squared", "nu"}));
  EXPECT_EQ(find_outputs_changed_by_option("cumulative_warmup_average"),
            (Names{"grad_gamma", "grad_x", "mean_g_x_hat", "mean_x_hat_squared", "nu", "rstd",
                   "running_psi2", "y"}));
  EXPECT_EQ(find_outputs_changed_by_option("group_scaling"),
            (Names{"batch_rstd", "grad_gamma", "grad_x", "mean_g_x_hat", "mean_x_hat_squared", "nu",
                   "quadratic_mean", "rstd", "running_psi2", "y"}));
}

TEST(PowerNormReleased, AllowsTwoForwardPassesBeforeABackwardPass) {
  // The released module cannot do this: its backward changes the buffer that the second backward
  // needs.
  const auto first =
      power_norm_released(kReleasedX, {}, {}, kReleasedState, options_without_groups());
  const auto second =
      power_norm_released(kReleasedX, {}, {}, first.state, options_without_groups());
  const auto b = power_norm_released_backward(kReleasedX, kReleasedX, {}, {}, second.saved,
                                              kReleasedState.nu, options_without_groups());
  const auto a = power_norm_released_backward(kReleasedX, kReleasedX, {}, {}, first.saved, b.nu,
                                              options_without_groups());
  EXPECT_BITS_EQ(a.mean_x_hat_squared, (Tensor<double>{0.25}));
}

std::string released_rejection_message(const PowerNormReleasedOptions& options,
                                       const Tensor<double>& x = kReleasedX,
                                       const PowerNormState<double>& state = kReleasedState,
                                       const Mask& valid = {}) {
  return contract_message([&] { power_norm_released(x, {}, valid, state, options); });
}

TEST(PowerNormReleased, RejectsZerosWithoutEpsOnlyIfDividingByBatchPsi) {
  const Tensor<double> zeros = column({0, 0});
  auto options = options_without_groups();
  EXPECT_EQ(released_rejection_message(options, zeros),
            "power_norm_released: x makes batch_rstd at [0] = inf; expected values so small that "
            "sums of their squares stay finite, and eps > 0 where they vanish (C2)");
  options.divide_by_batch_psi = false;
  EXPECT_EQ(released_rejection_message(options, zeros), "no error");
}

const Fault kWrongGroupEps{"eps",
                           [](LayerCall& q) { model::set_option(q.options, "group_eps", "-1"); }};

// Each test below violates one requirement of the contract.
NORMPROOF_REJECTS(PowerNormReleased, C1_RejectsAnEmptyX, kEmptyX);
NORMPROOF_REJECTS(PowerNormReleased, C2_RejectsNegativeEps, wrong_option("eps", "-1"));
NORMPROOF_REJECTS(PowerNormReleased, C2_RejectsNegativeGroupEps, kWrongGroupEps);
NORMPROOF_REJECTS(PowerNormReleased, C2_RejectsAllZerosWithoutEps, kZerosWithoutEps);
NORMPROOF_REJECTS(PowerNormReleased, C3_RejectsGammaOfWrongExtent, kGammaOfWrongExtent);
NORMPROOF_REJECTS(PowerNormReleased, C3_RejectsBetaOfWrongExtent, kBetaOfWrongExtent);
NORMPROOF_REJECTS(PowerNormReleased, C4_RejectsAnInfiniteElement, kInfiniteX);
NORMPROOF_REJECTS(PowerNormReleased, C4_RejectsNanInGamma, kNanInGamma);
NORMPROOF_REJECTS(PowerNormReleased, C4_RejectsOverflowingStatistics, kHugeX);
NORMPROOF_REJECTS(PowerNormReleased, C5_RejectsGradYOfWrongShape, kGradYOfWrongShape);
NORMPROOF_REJECTS(PowerNormReleased, C6_RejectsSavedBatchRstdOfWrongExtent,
                  saved_statistic_of_wrong_extent("batch_rstd"));
NORMPROOF_REJECTS(PowerNormReleased, C6_RejectsSavedRstdOfWrongExtent,
                  saved_statistic_of_wrong_extent("rstd"));
NORMPROOF_REJECTS(PowerNormReleased, C7_RejectsInfiniteGradY, kInfiniteGradY);
NORMPROOF_REJECTS(PowerNormReleased, C8_RejectsMaskWithoutValidRow, kNoValidRow);
NORMPROOF_REJECTS(PowerNormReleased, C8_RejectsMaskOfWrongShape, kMaskOfWrongShape);
NORMPROOF_REJECTS(PowerNormReleased, C9_RejectsAlphaForwardAboveOne,
                  wrong_option("alpha_forward", "1.5"));
NORMPROOF_REJECTS(PowerNormReleased, C9_RejectsAlphaBackwardAboveOne,
                  wrong_option("alpha_backward", "1.5"));
NORMPROOF_REJECTS(PowerNormReleased, C10_RejectsRunningPsi2OfWrongExtent,
                  state_of_wrong_extent("running_psi2"));
NORMPROOF_REJECTS(PowerNormReleased, C10_RejectsNanInRunningPsi2, state_with_nan("running_psi2"));
NORMPROOF_REJECTS(PowerNormReleased, C10_RejectsNegativeRunningPsi2,
                  state_with_negative("running_psi2"));
NORMPROOF_REJECTS(PowerNormReleased, C10_RejectsNuOfWrongExtent, state_of_wrong_extent("nu"));
NORMPROOF_REJECTS(PowerNormReleased, C10_RejectsNanInNu, state_with_nan("nu"));
NORMPROOF_REJECTS(PowerNormReleased, C11_RejectsGroupsThatDoNotDivideD,
                  wrong_option("groups", "3"));
NORMPROOF_REJECTS(PowerNormReleased, C11_RejectsZeroGroups, wrong_option("groups", "0"));
NORMPROOF_REJECTS(PowerNormReleased, C14_RejectsNegativeWarmupIterations,
                  wrong_option("warmup_iterations", "-1"));

}  // namespace
}  // namespace normproof::ref::norm
