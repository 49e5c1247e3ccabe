#include "ref/train/trainer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>

#include "ref/numeric/parallel.hpp"
#include "ref/train/cross_entropy.hpp"
#include "ref/train/initialization.hpp"
#include "tests/ref/encoder/encoders.hpp"
#include "tests/ref/numeric/error_message.hpp"
#include "tests/ref/train/small_runs.hpp"
#include "tests/verification/checks/compare/expect.hpp"
#include "tests/verification/checks/compare/scaled_bound.hpp"
#include "tests/verification/checks/compare/slope.hpp"

namespace normproof::ref::train {
namespace {

using model::NormPlacement;
using model::TrainConfig;
using numeric::complex100;
using numeric::dual;
using numeric::oracle100;
using numeric::oracle50;
using numeric::running_error;
using ::testing::HasSubstr;

LabelledBatch batch_of_two_sentences() {
  return {encoder::two_sentences(), {2, 0}};
}
LabelledBatch batch_of_one_sentence() {
  return {{{1, 2, {3, 1}}, {}}, {1}};
}

StepResult<double> step(const TrainConfig& config, TrainState<double>& state,
                        const std::vector<LabelledBatch>& batches = {batch_of_two_sentences()}) {
  return train_step<double>(config, batches, {}, state);
}

/// Compares `f(oracle50())`, a tensor computed at 50 digits, with its expected value. The tolerance
/// is the running error of `f(running_error())`, scaled to 50 digits.
template <class F>
void expect_equal_at_50_digits(F f, const Tensor<oracle100>& expected, const std::string& what) {
  EXPECT_WITHIN(verification::checks::compare::compare(
      tensor::convert<oracle100>(f(oracle50())), expected,
      verification::checks::compare::scaled_bound<oracle50>(f(running_error()))))
      << what;
}

/// Compares the gradients of some parameters with the derivative of the loss. The derivative is
/// computed twice, with dual numbers and with the complex step.
void expect_loss_derivative(const TrainConfig& config, const std::vector<LabelledBatch>& batches,
                            const TrainState<double>& start, model::Mode mode,
                            const std::string& what) {
  const auto compute_loss_and_gradient = [&]<class T>(TrainState<T>& state) {
    return loss_gradient<T>(config, batches, {}, state, {}, mode);
  };
  for (const char* name : {"head.weight", "layers.0.norm1.gamma", "layers.0.attention.in.weight",
                           "layers.0.feed_forward.first.bias"}) {
    const auto gradient = [&]<class T>(T) {
      auto state = convert_state<T>(start);
      return compute_loss_and_gradient(state).gradients.dense.at(name);
    };
    const auto slopes = [&]<class S>(S) {
      auto state = convert_state<S>(start);
      return verification::checks::compare::slopes(state.parameters.at(name), [&] {
        auto copy = state;  // a step changes its parameters temporarily
        return compute_loss_and_gradient(copy).loss;
      });
    };
    expect_equal_at_50_digits(gradient, slopes(dual()), fmt::format("{} {} by duals", what, name));
    expect_equal_at_50_digits(gradient, slopes(complex100()),
                              fmt::format("{} {} by the complex step", what, name));
  }
}

TEST(TrainStep, LearnsTwoSentencesWithEveryNorm) {
  for (const std::string& norm : model::norm_names()) {
    if (norm == "instance_norm") continue;  // its mean over the tokens is always beta
    const TrainConfig config = small_train_config(norm);
    auto state = initial_train_state(config);
    const double first = step(config, state).loss;
    StepResult<double> last;
    for (int i = 0; i < 150; ++i) last = step(config, state);
    EXPECT_LT(last.loss, first / 2) << norm;
    EXPECT_EQ(state.step, 151);
  }
}

TEST(TrainStep, GradientIsTheDerivativeOfTheLoss) {
  for (const auto pooling : {model::Pooling::masked_mean, model::Pooling::per_position}) {
    TrainConfig config = small_train_config();
    config.encoder.pooling = pooling;
    expect_loss_derivative(config, {batch_of_two_sentences(), batch_of_one_sentence()},
                           initial_train_state(config), model::Mode::training,
                           pooling == model::Pooling::masked_mean ? "pooled" : "per position");
  }
}

TEST(TrainStep, AgreesForAllScalarTypesUpToRounding) {
  for (const char* norm : {"layer_norm", "batch_norm", "power_norm", "power_norm_released"}) {
    TrainConfig config = small_train_config(norm);
    config.encoder.dropout = 0.25;
    auto state = initial_train_state(config);
    auto exact = convert_state<oracle50>(state);
    auto bounded = convert_state<running_error>(state);
    const std::vector<LabelledBatch> batches = {batch_of_two_sentences()};
    for (int i = 0; i < 2; ++i) {  // the bound grows by a factor of 10000 per step
      train_step<double>(config, batches, {}, state);
      train_step<oracle50>(config, batches, {}, exact);
      train_step<running_error>(config, batches, {}, bounded);
    }
    for (const auto& [name, values] : state.parameters) {
      const auto& bounds = bounded.parameters.at(name);
      for (std::size_t i = 0; i < values.size(); ++i) {
        ASSERT_EQ(values.data()[i], bounds.data()[i].value) << norm << " " << name;
        ASSERT_TRUE(std::isfinite(bounds.data()[i].error)) << norm << " " << name;
        const oracle50 off = exact.parameters.at(name).data()[i] - oracle50(values.data()[i]);
        ASSERT_LE(abs(off), oracle50(bounds.data()[i].error)) << norm << " " << name;
      }
    }
  }
}

TEST(TrainStep, BitsDoNotDependOnTheThreadCount) {
  TrainConfig config = small_train_config("power_norm");
  config.encoder.dropout = 0.25;
  config.optimizer = model::AdamOptions{};
  const auto hash = [&] {
    auto state = initial_train_state(config);
    for (int i = 0; i < 3; ++i) step(config, state);
    return state_sha256(state);
  };
  const std::string once = hash();
  for (const int threads : {2, 5}) {
    numeric::set_num_threads(threads);
    EXPECT_EQ(hash(), once);
  }
  numeric::set_num_threads(1);
  config.seed = 43;
  EXPECT_NE(hash(), once);
}

TEST(TrainStep, AccumulatedGradientIsTheMeanOverTheBatches) {
  const TrainConfig config = small_train_config();
  const auto start = initial_train_state(config);
  const auto after = [&]<class T>(const std::vector<LabelledBatch>& batches, T) {
    auto state = convert_state<T>(start);
    train_step<T>(config, batches, {}, state);
    return state.parameters.at("embedding.weight");
  };
  const auto first = after({batch_of_two_sentences()}, oracle100()),
             second = after({batch_of_one_sentence()}, oracle100());
  EXPECT_NE(first, second);
  expect_equal_at_50_digits(
      [&](auto t) {
        return after({batch_of_two_sentences(), batch_of_one_sentence()}, t);
      },
      Tensor<oracle100>((first + second) / oracle100(2)), "mean");
  auto state = start;
  const auto result = step(config, state, {batch_of_two_sentences(), batch_of_one_sentence()});
  EXPECT_EQ(result.predictions.size(), 3u);
  EXPECT_EQ(state.step, 1);
}

TEST(TrainStep, C1_RejectsTooManyBatchesAndGivesEachBatchItsOwnDropoutMask) {
  TrainConfig config = small_train_config();
  config.encoder.dropout = 0.5;
  config.learning_rate = 0;
  const auto losses = [&](std::size_t batches, std::int64_t at) {
    auto state = initial_train_state(config);
    state.step = at;
    std::vector<double> found;
    const encoder::TensorTap<double> tap = [&](const std::string& name,
                                               const Tensor<double>& values) {
      if (name == "loss") found.push_back(values.data()[0]);
    };
    train_step<double>(config, std::vector(batches, batch_of_two_sentences()), {}, state, tap);
    return found;
  };
  // After one step, the batches have the numbers 2 and 3. After two steps, the first batch has the
  // number 4. Batches of different numbers have different dropout masks. The mask of a batch does
  // not depend on the number of batches in its step.
  const auto both = losses(2, 1), one = losses(1, 1), next = losses(1, 2);
  EXPECT_EQ(one[0], both[0]);
  EXPECT_NE(both[0], both[1]);
  EXPECT_NE(next[0], both[1]);
  EXPECT_NE(next[0], both[0]);
  EXPECT_THAT(numeric::contract_message([&] { losses(3, 1); }),
              HasSubstr("batches has 3; expected 1 to accumulation, which is 2 (C1)"));
}

TEST(TrainStep, WarmupCountsStepsForPowerNormAndForwardPassesForPowerNormReleased) {
  for (const auto& [norm, count] :
       {std::pair{"power_norm", 1.0}, std::pair{"power_norm_released", 2.0}}) {
    const TrainConfig config = small_train_config(norm);
    auto state = initial_train_state(config);
    step(config, state, {batch_of_two_sentences(), batch_of_one_sentence()});
    EXPECT_EQ(state.norms.at("layers.0.norm1.iterations").data()[0], count) << norm;
  }
}

TEST(TrainStep, ClippingLimitsTheLengthOfTheStep) {
  TrainConfig config = small_train_config();
  config.max_gradient_norm = 0.125;
  const auto start = initial_train_state(config);
  auto state = start;
  EXPECT_GT(step(config, state).gradient_norms.whole, 0.125);
  // The length of the step is the learning rate times the norm of the clipped gradient.
  const auto length = [&]<class T>(T) {
    auto trained_state = convert_state<T>(start);
    train_step<T>(config, std::vector{batch_of_two_sentences()}, {}, trained_state);
    T sum_of_squares(0);
    for (const auto& [name, values] : start.parameters)
      for (std::size_t i = 0; i < values.size(); ++i) {
        const T off = T(values.data()[i]) - trained_state.parameters.at(name).data()[i];
        sum_of_squares += off * off;
      }
    return tensor::full_tensor<T>({1}, numeric::square_root(sum_of_squares));
  };
  expect_equal_at_50_digits(length, {oracle100(0.25 * 0.125)}, "length");
}

TEST(TrainStep, C2_RejectsLabelsThatAreNoClass) {
  const TrainConfig config = small_train_config();
  auto state = initial_train_state(config);
  LabelledBatch wrong = batch_of_two_sentences();
  wrong.labels[1] = 3;
  EXPECT_THAT(numeric::contract_message([&] { step(config, state, {wrong}); }),
              HasSubstr("labels has the class 3 at 1; expected 0 to 2 (C2)"));
}

TEST(TrainStep, RejectedStepLeavesTheStateUnchanged) {
  const TrainConfig config = small_train_config();
  auto state = initial_train_state(config);
  const std::string before = state_sha256(state);
  LabelledBatch wrong = batch_of_two_sentences();
  wrong.labels[1] = 3;
  EXPECT_THAT(numeric::contract_message([&] { step(config, state, {wrong}); }),
              HasSubstr("labels has the class 3 at 1; expected 0 to 2 (C2)"));
  EXPECT_THAT(numeric::contract_message([&] { step(config, state, {}); }),
              HasSubstr("batches has 0; expected 1 to accumulation"));
  wrong = batch_of_two_sentences();
  wrong.inputs.tokens.ids[0] = 99;
  EXPECT_THAT(numeric::contract_message([&] { step(config, state, {wrong}); }),
              HasSubstr("has the id 99"));
  state.parameters.at("head.bias").data()[0] = std::numeric_limits<double>::quiet_NaN();
  const std::string broken = state_sha256(state);
  EXPECT_THROW(step(config, state), numeric::NotFiniteError);
  EXPECT_EQ(state_sha256(state), broken);
  state.parameters.at("head.bias").data()[0] = 0;
  EXPECT_EQ(state_sha256(state), before);
}

TEST(TrainStep, AppliesTheGradientThatLossGradientReturns) {
  TrainConfig config = small_train_config("power_norm");
  config.encoder.dropout = 0.25;
  auto state = initial_train_state(config);
  step(config, state);
  const std::string before = state_sha256(state);
  const std::vector<LabelledBatch> batches = {batch_of_two_sentences(), batch_of_one_sentence()};
  const auto found = loss_gradient<double>(config, batches, {}, state);
  EXPECT_EQ(state_sha256(state), before);
  auto trained_state = state;
  const auto result = step(config, state, batches);
  EXPECT_EQ(result.loss, found.loss);
  EXPECT_EQ(result.predictions, found.predictions);
  optimizer_step(config.optimizer, config.learning_rate, trained_state.parameters, found.gradients,
                 trained_state.optimizer);
  trained_state.norms = found.norms;
  EXPECT_EQ(state_sha256(trained_state), state_sha256(state));
}

TEST(TrainStep, InferenceModeUsesNoDropoutAndKeepsTheNormState) {
  for (const char* norm : {"batch_norm", "power_norm", "power_norm_v", "power_norm_released"}) {
    TrainConfig config = small_train_config(norm);
    config.encoder.dropout = 0.5;
    auto state = initial_train_state(config);
    step(config, state);
    const auto norms = state.norms;
    const std::vector<LabelledBatch> batches = {batch_of_two_sentences(), batch_of_one_sentence()};
    const double evaluated = evaluate<double>(config, {batches.data(), 1}, {}, state).loss;
    const auto run_inference_steps = [&](TrainState<double>& of, std::size_t count) {
      return train_step<double>(config, {batches.data(), count}, {}, of, {},
                                model::Mode::inference);
    };
    auto trained = state;
    EXPECT_NE(step(config, trained).loss, evaluated) << norm;
    auto later = state;  // its step number would give different dropout masks
    later.step += 5;
    EXPECT_EQ(run_inference_steps(state, 1).loss, evaluated) << norm;
    run_inference_steps(later, 1);
    EXPECT_EQ(state_sha256(later), state_sha256(state)) << norm;
    run_inference_steps(state, 2);
    for (const auto& [name, values] : norms) EXPECT_EQ(state.norms.at(name), values) << name;
  }
}

TEST(TrainStep, GradientThroughRunningStatisticsIsTheDerivative) {
  for (const char* norm : {"batch_norm", "power_norm", "power_norm_v"}) {
    const TrainConfig config = small_train_config(norm);
    auto start = initial_train_state(config);
    step(config, start);
    expect_loss_derivative(config, {batch_of_two_sentences()}, start, model::Mode::inference, norm);
  }
}

TEST(TrainStep, C3_RejectsWrongPositionTargetsAndTrainsWithValidOnes) {
  TrainConfig config = small_train_config();
  config.encoder.pooling = model::Pooling::per_position;
  const auto start = initial_train_state(config);
  const auto loss_of = [&](const LabelledBatch& batch) {
    auto state = start;
    return loss_gradient<double>(config, {&batch, 1}, {}, state).loss;
  };
  const LabelledBatch plain = batch_of_two_sentences();
  const std::size_t seq_len = plain.inputs.tokens.seq_len;
  LabelledBatch same = plain, other = plain;
  for (std::size_t i = 0; i < 2 * seq_len; ++i) {
    const bool real = plain.inputs.valid.data()[i];
    same.targets.push_back(real ? plain.labels[i / seq_len] : kIgnored);
    other.targets.push_back(plain.labels[1 - i / seq_len]);
  }
  EXPECT_EQ(loss_of(same), loss_of(plain));
  EXPECT_NE(loss_of(other), loss_of(plain));
  // If targets are given, training does not use the labels. Only the predictions do.
  std::swap(same.labels[0], same.labels[1]);
  EXPECT_EQ(loss_of(same), loss_of(plain));
  same.targets.pop_back();
  EXPECT_THAT(numeric::contract_message([&] { loss_of(same); }), HasSubstr("one a position (C3)"));
  config.encoder.pooling = model::Pooling::masked_mean;
  EXPECT_THAT(numeric::contract_message([&] { loss_of(other); }),
              HasSubstr("targets are given; expected none but where"));
}

TEST(Evaluate, RunsInInferenceModeWithoutChangingTheState) {
  TrainConfig config = small_train_config("batch_norm");
  config.encoder.dropout = 0.5;
  auto state = initial_train_state(config);
  for (int i = 0; i < 3; ++i) step(config, state);
  const std::string before = state_sha256(state);
  const std::vector<LabelledBatch> both = {batch_of_two_sentences(), batch_of_one_sentence()};
  const auto result = evaluate<double>(config, both, {}, state);
  EXPECT_EQ(state_sha256(state), before);
  EXPECT_EQ(result.predictions.size(), 3u);
  // The loss is the mean over the three sentences. The first batch has two of them.
  const auto loss = [&]<class T>(std::size_t begin, std::size_t count, T) {
    auto converted = convert_state<T>(state);
    const T value = evaluate<T>(config, {both.data() + begin, count}, {}, converted).loss;
    return tensor::full_tensor<T>({1}, value);
  };
  expect_equal_at_50_digits(
      [&](auto t) { return loss(0, 2, t); },
      Tensor<oracle100>((oracle100(2) * loss(0, 1, oracle100()) + loss(1, 1, oracle100())) /
                        oracle100(3)),
      "loss");
}

}  // namespace
}  // namespace normproof::ref::train
