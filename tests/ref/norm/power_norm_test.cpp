#include "ref/norm/power_norm.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "ref/io/tensor_file.hpp"
#include "ref/numeric/elementary.hpp"
#include "tests/ref/io/temporary_folder.hpp"
#include "tests/ref/norm/broken_layer.hpp"
#include "tests/ref/norm/messages.hpp"
#include "tests/ref/norm/power_norm_sequence.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::ref::norm {
namespace {

using model::Mode;
using model::PowerNormOptions;

const PowerNormOptions kPowerNormOptions{.eps = 0, .alpha_forward = 0.75, .alpha_backward = 0.25};
const Tensor<double> kPowerNormX = column({2, -2, 2, 2});
const Affine<double> kPowerNormAffine{{3}, {1}};
const PowerNormState<double> kPowerNormState{.running_psi2 = {16}, .nu = {3}, .iterations = 7};

TEST(PowerNorm, MatchesHandComputedValues) {
  const auto forward =
      power_norm(kPowerNormX, kPowerNormAffine, {}, kPowerNormState, kPowerNormOptions);
  EXPECT_BITS_EQ(forward.saved.quadratic_mean, (Tensor<double>{4}));
  EXPECT_BITS_EQ(forward.saved.rstd, (Tensor<double>{0.25}));
  EXPECT_BITS_EQ(forward.y, column({2.5, -0.5, 2.5, 2.5}));
  EXPECT_BITS_EQ(forward.state.running_psi2, (Tensor<double>{13}));  // 12 + 1
  EXPECT_BITS_EQ(forward.state.nu, kPowerNormState.nu);
  EXPECT_EQ(forward.state.iterations, 8);

  const auto backward = power_norm_backward(column({4, 0, 0, 0}), kPowerNormX, kPowerNormAffine, {},
                                            forward.saved, kPowerNormState.nu, kPowerNormOptions);
  EXPECT_BITS_EQ(backward.mean_x_hat_squared, (Tensor<double>{0.25}));
  EXPECT_BITS_EQ(backward.mean_g_x_hat, (Tensor<double>{1.5}));
  EXPECT_BITS_EQ(backward.nu, (Tensor<double>{3.5625}));  // 3 (1 - 0.75/4) + 0.75 1.5
  EXPECT_BITS_EQ(backward.gradients.grad_x, column({2.625, 0.375, -0.375, -0.375}));
  EXPECT_BITS_EQ(backward.gradients.grad_gamma, (Tensor<double>{2}));
  EXPECT_BITS_EQ(backward.gradients.grad_beta, (Tensor<double>{4}));
}

TEST(PowerNorm, EpsIsAddedUnderTheSquareRootAndNotToTheState) {
  const auto forward =
      power_norm<double>(kPowerNormX, {}, {}, {{7}, {0}}, {.eps = 9, .alpha_forward = 0.5});
  EXPECT_BITS_EQ(forward.saved.rstd, (Tensor<double>{0.25}));
  EXPECT_BITS_EQ(forward.state.running_psi2, (Tensor<double>{5.5}));
}

TEST(PowerNorm, PaddedRowsAreScaledButDoNotUpdateTheState) {
  const Mask valid = {true, true, false, true};
  const Tensor<double> x = column({2, -2, 12, 2}), grad_y = column({4, 0, 8, 2});
  const auto forward = power_norm(x, {}, valid, kPowerNormState, kPowerNormOptions);
  EXPECT_BITS_EQ(forward.y, column({0.5, -0.5, 3, 0.5}));
  EXPECT_BITS_EQ(forward.saved.quadratic_mean, (Tensor<double>{4}));
  const auto backward = power_norm_backward(grad_y, x, {}, valid, forward.saved, kPowerNormState.nu,
                                            kPowerNormOptions);
  EXPECT_BITS_EQ(backward.mean_x_hat_squared, (Tensor<double>{0.25}));
  EXPECT_BITS_EQ(backward.mean_g_x_hat, (Tensor<double>{1}));  // (4 + 0 + 2) 0.5 / 3
  EXPECT_BITS_EQ(backward.gradients.grad_x, column({0.625, 0.375, 2, 0.125}));
  EXPECT_BITS_EQ(backward.gradients.grad_beta, (Tensor<double>{14}));  // the sum runs over all rows

  const auto other =
      power_norm(column({2, -2, -99, 2}), {}, valid, kPowerNormState, kPowerNormOptions);
  EXPECT_BITS_EQ(other.state.running_psi2, forward.state.running_psi2);
  const auto silent = power_norm_backward(column({4, 0, 0, 2}), column({2, -2, -99, 2}), {}, valid,
                                          other.saved, kPowerNormState.nu, kPowerNormOptions);
  EXPECT_BITS_EQ(silent.nu, backward.nu);
  EXPECT_BITS_EQ(silent.gradients.grad_x(2, 0), 0.0);
}

TEST(PowerNorm, ChannelsAreIndependent) {
  const auto in = make_sequence_inputs(1, 0, 9, 3, 2);
  const model::NormOptions options = PowerNormOptions{};
  const auto whole = norm_step(options, in, initial_state<double>(options, 3));
  for (std::size_t channel = 0; channel < 3; ++channel) {
    NormInputs<double> one = in;
    one.x = one.grad_y = tensor::empty_tensor<double>({9, 1});
    for (std::size_t i = 0; i < 9; ++i) {
      one.x(i, 0) = in.x(i, channel);
      one.grad_y(i, 0) = in.grad_y(i, channel);
    }
    one.gamma = {in.gamma(channel)};
    one.beta = {in.beta(channel)};
    const auto step = norm_step(options, one, initial_state<double>(options, 1));
    for (std::size_t i = 0; i < 9; ++i) {
      EXPECT_BITS_EQ(step.outputs.at("y")(i, 0), whole.outputs.at("y")(i, channel));
      EXPECT_BITS_EQ(step.outputs.at("grad_x")(i, 0), whole.outputs.at("grad_x")(i, channel));
    }
    EXPECT_BITS_EQ(step.state.at("running_psi2")(0), whole.state.at("running_psi2")(channel));
    EXPECT_BITS_EQ(step.state.at("nu")(0), whole.state.at("nu")(channel));
  }
}

TEST(PowerNorm, TreatsSamplesAndTokensAsRows) {
  const auto flat = make_sequence_inputs(2, 0, 12, 2, 3);
  NormInputs<double> in = flat;
  in.x.reshape({3, 4, 2});
  in.grad_y.reshape({3, 4, 2});
  in.valid.reshape({3, 4});
  const model::NormOptions options = PowerNormOptions{};
  const auto a = norm_step(options, flat, initial_state<double>(options, 2));
  auto b = norm_step(options, in, initial_state<double>(options, 2));
  for (const char* name : {"y", "grad_x"}) {
    EXPECT_EQ(tensor::shape_of(b.outputs.at(name)), (tensor::Shape{3, 4, 2}));
    b.outputs.at(name).reshape({12, 2});
    EXPECT_BITS_EQ(b.outputs.at(name), a.outputs.at(name));
  }
  EXPECT_BITS_EQ(a.state.at("nu"), b.state.at("nu"));
  EXPECT_BITS_EQ(a.state.at("running_psi2"), b.state.at("running_psi2"));
}

TEST(PowerNorm, InferenceIsAffineAndDoesNotChangeTheState) {
  const auto forward = power_norm(kPowerNormX, kPowerNormAffine, {}, kPowerNormState,
                                  kPowerNormOptions, Mode::inference);
  EXPECT_BITS_EQ(forward.y, column({2.5, -0.5, 2.5, 2.5}));  // 3 x / 4 + 1
  EXPECT_EQ(forward.saved.quadratic_mean.dimension(), 0U);
  EXPECT_BITS_EQ(forward.state.running_psi2, kPowerNormState.running_psi2);
  EXPECT_BITS_EQ(forward.state.nu, kPowerNormState.nu);
  EXPECT_EQ(forward.state.iterations, kPowerNormState.iterations);
  const auto backward =
      power_norm_backward(column({4, 0, 0, 8}), kPowerNormX, kPowerNormAffine, {}, forward.saved,
                          kPowerNormState.nu, kPowerNormOptions, Mode::inference);
  EXPECT_BITS_EQ(backward.gradients.grad_x, column({3, 0, 0, 6}));  // g / 4: nu has no effect
  EXPECT_BITS_EQ(backward.nu, kPowerNormState.nu);
}

TEST(PowerNorm, InferenceOfARowDoesNotDependOnOtherRows) {
  const auto batch = power_norm(kPowerNormX, kPowerNormAffine, {}, kPowerNormState,
                                kPowerNormOptions, Mode::inference);
  for (std::size_t i = 0; i < 4; ++i) {
    const auto row = power_norm(column({kPowerNormX(i, 0)}), kPowerNormAffine, {}, kPowerNormState,
                                kPowerNormOptions, Mode::inference);
    EXPECT_BITS_EQ(row.y(0, 0), batch.y(i, 0));
  }
}

TEST(PowerNorm, TrainingUsesTheOldPsiAndInferenceTheUpdatedPsi) {
  const auto step = power_norm(kPowerNormX, {}, {}, kPowerNormState, kPowerNormOptions);
  EXPECT_BITS_EQ(step.saved.rstd, (Tensor<double>{0.25}));  // from psi squared = 16
  const auto after =
      power_norm(kPowerNormX, {}, {}, step.state, kPowerNormOptions, Mode::inference);
  EXPECT_BITS_EQ(after.saved.rstd, (Tensor<double>{1 / numeric::square_root(13)}));
}

TEST(PowerNorm, WarmupIterationsNormalizeByTheBatch) {
  auto options = kPowerNormOptions;
  options.warmup_iterations = 2;
  PowerNormState<double> state{.running_psi2 = {16}, .nu = {0}, .iterations = 0};
  for (const double rstd : {0.5, 0.5, 1 / numeric::square_root(10.75)}) {
    const auto forward = power_norm(kPowerNormX, {}, {}, state, options);
    EXPECT_BITS_EQ(forward.saved.rstd, (Tensor<double>{rstd})) << state.iterations;
    state = forward.state;
  }
  // The moving average is also updated during the warm-up: 13, then 10.75, then 9.0625.
  EXPECT_BITS_EQ(state.running_psi2, (Tensor<double>{9.0625}));
  EXPECT_EQ(state.iterations, 3);
}

TEST(PowerNorm, ResumesFromAStoredStateBitForBit) {
  const model::NormOptions options = PowerNormOptions{.warmup_iterations = 7};
  const auto whole = run_sequence(options, 3, 10, 6, 4, 1);
  const tests::ref::io::TemporaryFolder folder;
  for (const char* file : {"state.safetensors", "state.npz"}) {
    std::vector<io::StoredTensor> stored;
    for (const auto& [name, values] : whole[4].state)
      stored.push_back(io::make_tensor(name, tensor::shape_of(values),
                                       std::span<const double>(values.data(), values.size())));
    io::write_tensors(folder / file, stored);
    tensor::NamedTensors<double> state;
    for (const auto& read : io::read_tensors(folder / file)) {
      auto values = tensor::empty_tensor<double>(read.shape);
      const auto numbers = io::widen(read);
      std::copy(numbers.begin(), numbers.end(), values.data());
      state.set(read.name, values);
    }
    for (std::size_t t = 5; t < 10; ++t) {
      const auto step = norm_step(options, make_sequence_inputs(3, t, 6, 4, 1), state);
      EXPECT_BITS_EQ(step.outputs.at("y"), whole[t].outputs.at("y"));
      EXPECT_BITS_EQ(step.outputs.at("grad_x"), whole[t].outputs.at("grad_x"));
      state = step.state;
    }
    for (const auto& [name, values] : whole[9].state) EXPECT_BITS_EQ(state.at(name), values);
  }
}

TEST(PowerNorm, RowOrderChangesTheStateOnlyByRounding) {
  using numeric::running_error;
  constexpr std::size_t kRows = 100;
  const model::NormOptions options =
      PowerNormOptions{.alpha_forward = 0.125, .alpha_backward = 0.125};
  const auto in = make_sequence_inputs<running_error>(4, 0, kRows, 3, 10);
  auto turned = in;
  const auto from = [](std::size_t i) { return (37 * i + 11) % kRows; };  // 37 and 100 are coprime
  for (std::size_t i = 0; i < kRows; ++i) {
    turned.valid(i) = in.valid(from(i));
    for (std::size_t j = 0; j < 3; ++j) {
      turned.x(i, j) = in.x(from(i), j);
      turned.grad_y(i, j) = in.grad_y(from(i), j);
    }
  }
  auto state = initial_state<running_error>(options, 3);
  state.set("nu", normal_tensor<running_error>({3}, 4, "nu"));
  const auto a = norm_step(options, in, state), b = norm_step(options, turned, state);
  bool moved = false;
  for (const char* name : {"running_psi2", "nu"}) {
    for (std::size_t j = 0; j < 3; ++j) {
      const running_error u = a.state.at(name)(j), v = b.state.at(name)(j);
      EXPECT_LE(std::fabs(u.value - v.value), u.error + v.error) << name << " " << j;
      moved = moved || u.value != v.value;
    }
  }
  EXPECT_TRUE(moved) << "the order of the sum shows nowhere: nothing was tested";
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      for (const char* name : {"y", "grad_x"})
        EXPECT_BITS_EQ(b.outputs.at(name)(i, j).value, a.outputs.at(name)(from(i), j).value);
    }
  }
}

TEST(PowerNorm, HandlesOneRowAndZeroColumns) {
  const auto forward = power_norm<double>({{3, 0}}, {}, {}, {{1, 1}, {0, 0}}, kPowerNormOptions);
  EXPECT_BITS_EQ(forward.y, (Tensor<double>{{3, 0}}));
  EXPECT_BITS_EQ(forward.state.running_psi2, (Tensor<double>{3, 0.75}));
  const auto backward = power_norm_backward<double>({{1, 1}}, {{3, 0}}, {}, {}, forward.saved,
                                                    {0.5, 2}, kPowerNormOptions);
  EXPECT_BITS_EQ(backward.nu, (Tensor<double>{-0.625, 2}));  // 0.5 (1 - 27/4) + 9/4
  EXPECT_BITS_EQ(backward.gradients.grad_x, (Tensor<double>{{-0.5, 1}}));
}

const Fault kZeroPsi{"running_psi2", [](LayerCall& q) {
                       model::set_option(q.options, "eps", "0");
                       q.state.at("running_psi2").data()[0] = 0;
                     }};

// Each test below violates one requirement of the contract.
NORMPROOF_REJECTS(PowerNorm, C1_RejectsAnEmptyX, kEmptyX);
NORMPROOF_REJECTS(PowerNorm, C2_RejectsNegativeEps, wrong_option("eps", "-1"));
NORMPROOF_REJECTS(PowerNorm, C2_RejectsZeroPsiWithoutEps, kZeroPsi);
NORMPROOF_REJECTS(PowerNorm, C3_RejectsGammaOfWrongExtent, kGammaOfWrongExtent);
NORMPROOF_REJECTS(PowerNorm, C3_RejectsBetaOfWrongExtent, kBetaOfWrongExtent);
NORMPROOF_REJECTS(PowerNorm, C4_RejectsAnInfiniteElement, kInfiniteX);
NORMPROOF_REJECTS(PowerNorm, C4_RejectsNanInGamma, kNanInGamma);
NORMPROOF_REJECTS(PowerNorm, C4_RejectsOverflowingStatistics, kHugeX);
NORMPROOF_REJECTS(PowerNorm, C5_RejectsGradYOfWrongShape, kGradYOfWrongShape);
NORMPROOF_REJECTS(PowerNorm, C6_RejectsSavedRstdOfWrongExtent,
                  saved_statistic_of_wrong_extent("rstd"));
NORMPROOF_REJECTS(PowerNorm, C7_RejectsInfiniteGradY, kInfiniteGradY);
NORMPROOF_REJECTS(PowerNorm, C8_RejectsMaskWithoutValidRow, kNoValidRow);
NORMPROOF_REJECTS(PowerNorm, C8_RejectsMaskOfWrongShape, kMaskOfWrongShape);
NORMPROOF_REJECTS(PowerNorm, C9_RejectsAlphaForwardAboveOne, wrong_option("alpha_forward", "1.5"));
NORMPROOF_REJECTS(PowerNorm, C9_RejectsAlphaBackwardAboveOne,
                  wrong_option("alpha_backward", "1.5"));
NORMPROOF_REJECTS(PowerNorm, C10_RejectsRunningPsi2OfWrongExtent,
                  state_of_wrong_extent("running_psi2"));
NORMPROOF_REJECTS(PowerNorm, C10_RejectsNanInRunningPsi2, state_with_nan("running_psi2"));
NORMPROOF_REJECTS(PowerNorm, C10_RejectsNegativeRunningPsi2, state_with_negative("running_psi2"));
NORMPROOF_REJECTS(PowerNorm, C10_RejectsNuOfWrongExtent, state_of_wrong_extent("nu"));
NORMPROOF_REJECTS(PowerNorm, C10_RejectsNanInNu, state_with_nan("nu"));
NORMPROOF_REJECTS(PowerNorm, C10_RejectsNegativeIterations, state_with_negative("iterations"));
NORMPROOF_REJECTS(PowerNorm, C14_RejectsNegativeWarmupIterations,
                  wrong_option("warmup_iterations", "-1"));

}  // namespace
}  // namespace normproof::ref::norm
