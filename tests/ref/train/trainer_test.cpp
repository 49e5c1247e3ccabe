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

LabelledBatch two_batches() {
  return {encoder::two_sentences(), {2, 0}};
}
LabelledBatch one_batch() {
  return {{{1, 2, {3, 1}}, {}}, {1}};
}

StepResult<double> step(const TrainConfig& config, TrainState<double>& state,
                        const std::vector<LabelledBatch>& batches = {two_batches()}) {
  return train_step<double>(config, batches, {}, state);
}

/// Compares f(T()), a tensor of T, at 50 digits with its expected value, within the bound of its
/// own rounding.
template <class F>
void expect_at_50_digits(F f, const Tensor<oracle100>& expected, const std::string& what) {
  EXPECT_WITHIN(verification::checks::compare::compare(
      tensor::convert<oracle100>(f(oracle50())), expected,
      verification::checks::compare::scaled_bound<oracle50>(f(running_error()))))
      << what;
}

/// Checks some gradients against the derivative of the loss, by dual numbers and by the complex
/// step.
void expect_loss_derivative(const TrainConfig& config, const std::vector<LabelledBatch>& batches,
                            const TrainState<double>& start, model::Mode mode,
                            const std::string& what) {
  const auto lossy = [&]<class T>(TrainState<T>& state) {
    return loss_gradient<T>(config, batches, {}, state, {}, mode);
  };
  for (const char* name : {"head.weight", "layers.0.norm1.gamma", "layers.0.attention.in.weight",
                           "layers.0.feed_forward.first.bias"}) {
    const auto gradient = [&]<class T>(T) {
      auto state = convert_state<T>(start);
      return lossy(state).gradients.dense.at(name);
    };
    const auto slopes = [&]<class S>(S) {
      auto state = convert_state<S>(start);
      return verification::checks::compare::slopes(state.parameters.at(name), [&] {
        auto copy = state;  // a step changes its parameters temporarily
        return lossy(copy).loss;
      });
    };
    expect_at_50_digits(gradient, slopes(dual()), fmt::format("{} {} by duals", what, name));
    expect_at_50_digits(gradient, slopes(complex100()),
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
    expect_loss_derivative(config, {two_batches(), one_batch()}, initial_train_state(config),
                           model::Mode::training,
                           pooling == model::Pooling::masked_mean ? "pooled" : "per position");
  }
}

TEST(TrainStep, AgreesInEveryScalarUpToRounding) {
  for (const char* norm : {"layer_norm", "batch_norm", "power_norm", "power_norm_released"}) {
    TrainConfig config = small_train_config(norm);
    config.encoder.dropout = 0.25;
    auto state = initial_train_state(config);
    auto exact = convert_state<oracle50>(state);
    auto bounded = convert_state<running_error>(state);
    const std::vector<LabelledBatch> batches = {two_batches()};
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

TEST(TrainStep, BitsDoNotDependOnThreads) {
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

TEST(TrainStep, AccumulationIsTheMeanOfTheBatches) {
  const TrainConfig config = small_train_config();
  const auto start = initial_train_state(config);
  const auto after = [&]<class T>(const std::vector<LabelledBatch>& batches, T) {
    auto state = convert_state<T>(start);
    train_step<T>(config, batches, {}, state);
    return state.parameters.at("embedding.weight");
  };
  const auto first = after({two_batches()}, oracle100()),
             second = after({one_batch()}, oracle100());
  EXPECT_NE(first, second);
  expect_at_50_digits(
      [&](auto t) {
        return after({two_batches(), one_batch()}, t);
      },
      Tensor<oracle100>((first + second) / oracle100(2)), "mean");
  auto state = start;
  const auto result = step(config, state, {two_batches(), one_batch()});
  EXPECT_EQ(result.predictions.size(), 3u);
  EXPECT_EQ(state.step, 1);
}

TEST(TrainStep, C1_RejectsTooManyBatchesAndNumbersDropoutByStep) {
  TrainConfig config = small_train_config();
  config.encoder.dropout = 0.5;
  config.learning_rate = 0;
  const auto losses = [&](std::size_t batches, std::int64_t at) {
    auto state = initial_train_state(config);
    state.step = at;
    std::vector<double> found;
    const encoder::Tap<double> tap = [&](const std::string& name, const Tensor<double>& values) {
      if (name == "loss") found.push_back(values.data()[0]);
    };
    train_step<double>(config, std::vector(batches, two_batches()), {}, state, tap);
    return found;
  };
  // The batch numbers are 2 and 3, then 4. All dropouts differ, and a batch has the same one
  // whether another batch follows or not.
  const auto both = losses(2, 1), one = losses(1, 1), next = losses(1, 2);
  EXPECT_EQ(one[0], both[0]);
  EXPECT_NE(both[0], both[1]);
  EXPECT_NE(next[0], both[1]);
  EXPECT_NE(next[0], both[0]);
  EXPECT_THAT(numeric::contract_message([&] { losses(3, 1); }),
              HasSubstr("batches has 3; expected 1 to accumulation, which is 2 (C1)"));
}

TEST(TrainStep, WarmUpCountsStepsInThePaperAndForwardsAsReleased) {
  for (const auto& [norm, count] :
       {std::pair{"power_norm", 1.0}, std::pair{"power_norm_released", 2.0}}) {
    const TrainConfig config = small_train_config(norm);
    auto state = initial_train_state(config);
    step(config, state, {two_batches(), one_batch()});
    EXPECT_EQ(state.norms.at("layers.0.norm1.iterations").data()[0], count) << norm;
  }
}

TEST(TrainStep, ClippingBoundsTheStep) {
  TrainConfig config = small_train_config();
  config.max_gradient_norm = 0.125;
  const auto start = initial_train_state(config);
  auto state = start;
  EXPECT_GT(step(config, state).gradient_norms.whole, 0.125);
  // Its length is the learning rate times that norm.
  const auto length = [&]<class T>(T) {
    auto moved = convert_state<T>(start);
    train_step<T>(config, std::vector{two_batches()}, {}, moved);
    T square(0);
    for (const auto& [name, values] : start.parameters)
      for (std::size_t i = 0; i < values.size(); ++i) {
        const T off = T(values.data()[i]) - moved.parameters.at(name).data()[i];
        square += off * off;
      }
    return tensor::full_tensor<T>({1}, numeric::square_root(square));
  };
  expect_at_50_digits(length, {oracle100(0.25 * 0.125)}, "length");
}

TEST(TrainStep, C2_RejectsLabelsThatAreNoClass) {
  const TrainConfig config = small_train_config();
  auto state = initial_train_state(config);
  LabelledBatch wrong = two_batches();
  wrong.labels[1] = 3;
  EXPECT_THAT(numeric::contract_message([&] { step(config, state, {wrong}); }),
              HasSubstr("labels has the class 3 at 1; expected 0 to 2 (C2)"));
}

TEST(TrainStep, RejectedStepsLeaveTheStateUnchanged) {
  const TrainConfig config = small_train_config();
  auto state = initial_train_state(config);
  const std::string before = state_sha256(state);
  LabelledBatch wrong = two_batches();
  wrong.labels[1] = 3;
  EXPECT_THAT(numeric::contract_message([&] { step(config, state, {wrong}); }),
              HasSubstr("labels has the class 3 at 1; expected 0 to 2 (C2)"));
  EXPECT_THAT(numeric::contract_message([&] { step(config, state, {}); }),
              HasSubstr("batches has 0; expected 1 to accumulation"));
  wrong = two_batches();
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

TEST(TrainStep, AppliesTheGradientOfLossGradientWhichLeavesTheStateUnchanged) {
  TrainConfig config = small_train_config("power_norm");
  config.encoder.dropout = 0.25;
  auto state = initial_train_state(config);
  step(config, state);
  const std::string before = state_sha256(state);
  const std::vector<LabelledBatch> batches = {two_batches(), one_batch()};
  const auto found = loss_gradient<double>(config, batches, {}, state);
  EXPECT_EQ(state_sha256(state), before);
  auto moved = state;
  const auto result = step(config, state, batches);
  EXPECT_EQ(result.loss, found.loss);
  EXPECT_EQ(result.predictions, found.predictions);
  optimizer_step(config.optimizer, config.learning_rate, moved.parameters, found.gradients,
                 moved.optimizer);
  moved.norms = found.norms;
  EXPECT_EQ(state_sha256(moved), state_sha256(state));
}

TEST(TrainStep, InferenceUsesNoDropoutAndUpdatesNoStatistic) {
  for (const char* norm : {"batch_norm", "power_norm", "power_norm_v", "power_norm_released"}) {
    TrainConfig config = small_train_config(norm);
    config.encoder.dropout = 0.5;
    auto state = initial_train_state(config);
    step(config, state);
    const auto norms = state.norms;
    const std::vector<LabelledBatch> batches = {two_batches(), one_batch()};
    const double evaluated = evaluate<double>(config, {batches.data(), 1}, {}, state).loss;
    const auto in_inference = [&](TrainState<double>& of, std::size_t count) {
      return train_step<double>(config, {batches.data(), count}, {}, of, {},
                                model::Mode::inference);
    };
    auto trained = state;
    EXPECT_NE(step(config, trained).loss, evaluated) << norm;
    auto later = state;  // would have different dropout masks
    later.step += 5;
    EXPECT_EQ(in_inference(state, 1).loss, evaluated) << norm;
    in_inference(later, 1);
    EXPECT_EQ(state_sha256(later), state_sha256(state)) << norm;
    in_inference(state, 2);
    for (const auto& [name, values] : norms) EXPECT_EQ(state.norms.at(name), values) << name;
  }
}

TEST(TrainStep, GradientThroughRunningStatisticsIsTheDerivative) {
  for (const char* norm : {"batch_norm", "power_norm", "power_norm_v"}) {
    const TrainConfig config = small_train_config(norm);
    auto start = initial_train_state(config);
    step(config, start);
    expect_loss_derivative(config, {two_batches()}, start, model::Mode::inference, norm);
  }
}

TEST(TrainStep, C3_PositionTargetsReplaceLabelsAndWrongOnesAreRejected) {
  TrainConfig config = small_train_config();
  config.encoder.pooling = model::Pooling::per_position;
  const auto start = initial_train_state(config);
  const auto loss_of = [&](const LabelledBatch& batch) {
    auto state = start;
    return loss_gradient<double>(config, {&batch, 1}, {}, state).loss;
  };
  const LabelledBatch plain = two_batches();
  const std::size_t seq_len = plain.inputs.tokens.seq_len;
  LabelledBatch same = plain, other = plain;
  for (std::size_t i = 0; i < 2 * seq_len; ++i) {
    const bool real = plain.inputs.valid.data()[i];
    same.targets.push_back(real ? plain.labels[i / seq_len] : kIgnored);
    other.targets.push_back(plain.labels[1 - i / seq_len]);
  }
  EXPECT_EQ(loss_of(same), loss_of(plain));
  EXPECT_NE(loss_of(other), loss_of(plain));
  // Labels are used for the predictions, not for training.
  std::swap(same.labels[0], same.labels[1]);
  EXPECT_EQ(loss_of(same), loss_of(plain));
  same.targets.pop_back();
  EXPECT_THAT(numeric::contract_message([&] { loss_of(same); }), HasSubstr("one a position (C3)"));
  config.encoder.pooling = model::Pooling::masked_mean;
  EXPECT_THAT(numeric::contract_message([&] { loss_of(other); }),
              HasSubstr("targets are given; expected none but where"));
}

TEST(Evaluate, RunsInInferenceWithoutChangingTheState) {
  TrainConfig config = small_train_config("batch_norm");
  config.encoder.dropout = 0.5;
  auto state = initial_train_state(config);
  for (int i = 0; i < 3; ++i) step(config, state);
  const std::string before = state_sha256(state);
  const std::vector<LabelledBatch> both = {two_batches(), one_batch()};
  const auto result = evaluate<double>(config, both, {}, state);
  EXPECT_EQ(state_sha256(state), before);
  EXPECT_EQ(result.predictions.size(), 3u);
  // The mean over the sentences, of which there are two and one.
  const auto loss = [&]<class T>(std::size_t begin, std::size_t count, T) {
    auto converted = convert_state<T>(state);
    const T value = evaluate<T>(config, {both.data() + begin, count}, {}, converted).loss;
    return tensor::full_tensor<T>({1}, value);
  };
  expect_at_50_digits(
      [&](auto t) { return loss(0, 2, t); },
      Tensor<oracle100>((oracle100(2) * loss(0, 1, oracle100()) + loss(1, 1, oracle100())) /
                        oracle100(3)),
      "loss");
}

}  // namespace
}  // namespace normproof::ref::train
