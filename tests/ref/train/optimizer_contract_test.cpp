#include "ref/train/optimizer.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/ref/numeric/special_values.hpp"
#include "tests/ref/ops/lenses.hpp"
#include "tests/ref/train/small_runs.hpp"

namespace normproof::ref::train {
namespace {

using model::AdamOptions;
using model::AdamWOptions;
using model::OptimizerOptions;
using model::SgdOptions;
using numeric::contract_message;
using numeric::kInfinity;
using numeric::kNaN;
using tensor::Shape;

/// Runs an optimizer step that must be rejected, and expects that it changes neither parameters nor
/// state. Before the step, `change_state` may make the state invalid. Returns the error message.
std::string rejection_message(
    const OptimizerOptions& options, double learning_rate, const Gradients<double>& gradients,
    const std::function<void(OptimizerState<double>&)>& change_state = {}) {
  NamedTensors<double> parameters;
  parameters.set("a", {{1, 2}, {3, 4}, {5, 6}});
  parameters.set("b", {7, 8});
  auto state = initial_optimizer_state(AdamOptions{}, parameters);
  if (std::holds_alternative<SgdOptions>(options)) state.moments = {};
  if (change_state) change_state(state);
  const Tensor<double> before = all_values(parameters, state);
  const std::string message = contract_message(
      [&] { optimizer_step(options, learning_rate, parameters, gradients, state); });
  EXPECT_BITS_EQ(all_values(parameters, state), before);
  EXPECT_THAT(message, ::testing::StartsWith("optimizer_step: "));
  return message.substr(std::string("optimizer_step: ").size());
}
Gradients<double> valid_gradients() {
  Gradients<double> gradients{{}, {{"a", {{0, 2}, {{1, 1}, {1, 1}}}}}};
  gradients.dense.set("b", {1, 1});
  return gradients;
}

TEST(OptimizerContract, C1_RejectsOptionsOutOfRange) {
  const auto message = [](const OptimizerOptions& options) {
    const NamedTensors<double> none;
    EXPECT_THROW(initial_optimizer_state(options, none), numeric::ContractError);
    return rejection_message(options, 0.1, valid_gradients());
  };
  EXPECT_EQ(message(SgdOptions{-0.5}), "momentum is -0.5; expected momentum >= 0 (C1)");
  EXPECT_EQ(message(AdamOptions{.beta1 = 1}), "beta1 is 1; expected 0 <= beta1 < 1 (C1)");
  EXPECT_EQ(message(AdamOptions{.beta2 = -0.1}), "beta2 is -0.1; expected 0 <= beta2 < 1 (C1)");
  EXPECT_EQ(message(AdamWOptions{.beta2 = kNaN}), "beta2 is nan; expected 0 <= beta2 < 1 (C1)");
  EXPECT_EQ(message(AdamOptions{.eps = 0}), "eps is 0; expected eps > 0 (C1)");
  EXPECT_EQ(message(AdamWOptions{.weight_decay = -1}),
            "weight_decay is -1; expected weight_decay >= 0 (C1)");
}

TEST(OptimizerContract, C2_RejectsNegativeOrNonFiniteLearningRate) {
  for (const double wrong : {-1.0, kNaN, kInfinity})
    EXPECT_EQ(rejection_message(SgdOptions{}, wrong, valid_gradients()),
              fmt::format("learning_rate is {}; expected learning_rate >= 0 (C2)", wrong));
}

TEST(OptimizerContract, C3_RejectsMissingAndDuplicateGradients) {
  Gradients<double> gradients = valid_gradients();
  gradients.rows.clear();
  EXPECT_EQ(rejection_message(AdamOptions{}, 0.1, gradients),
            "gradients has no 'a'; expected one gradient a parameter (C3)");
  gradients = valid_gradients();
  gradients.dense.set("a", {{1, 2}, {3, 4}, {5, 6}});
  EXPECT_EQ(rejection_message(AdamOptions{}, 0.1, gradients),
            "gradients has 'a' twice; expected one gradient a parameter (C3)");
  gradients = valid_gradients();
  gradients.dense.set("c", {1});
  EXPECT_EQ(rejection_message(AdamOptions{}, 0.1, gradients),
            "gradients has 'c'; expected names of parameters alone (C3)");
}

TEST(OptimizerContract, C4_RejectsGradientsOfWrongShape) {
  Gradients<double> gradients = valid_gradients();
  gradients.dense.set("b", {1, 1, 1});
  EXPECT_EQ(rejection_message(AdamOptions{}, 0.1, gradients),
            "gradient of b has shape [3]; expected shape [2] (C4)");
  gradients = valid_gradients();
  gradients.rows[0].second.values = {{1, 1}};
  EXPECT_EQ(rejection_message(AdamOptions{}, 0.1, gradients),
            "gradient of a has values of shape [1, 2]; expected shape [2, 2] (C4)");
  for (const auto& rows : std::vector<std::vector<std::size_t>>{{0, 3}, {1, 1}, {2, 0}}) {
    gradients = valid_gradients();
    gradients.rows[0].second.rows = rows;
    EXPECT_EQ(rejection_message(SgdOptions{}, 0.1, gradients),
              fmt::format("gradient of a has rows[1] = {}; expected ascending numbers below 3 (C4)",
                          rows[1]));
  }
  gradients = {{}, {{"b", {{0}, {{1, 1}}}}}};
  gradients.dense.set("a", {{1, 2}, {3, 4}, {5, 6}});
  EXPECT_EQ(rejection_message(SgdOptions{}, 0.1, gradients),
            "gradient of b is one of rows; expected the whole of a parameter of shape [2] (C4)");
}

TEST(OptimizerContract, C5_RejectsNonFiniteGradients) {
  for (const double bad : {kNaN, kInfinity, -kInfinity}) {
    Gradients<double> gradients = valid_gradients();
    gradients.rows[0].second.values(1, 0) = bad;
    gradients.rows[0].second.values(1, 1) = bad;
    EXPECT_EQ(rejection_message(SgdOptions{}, 0.1, gradients),
              fmt::format(
                  "gradient of a has the element [1, 0] = {}; expected finite elements (C5)", bad));
  }
  Gradients<double> gradients = valid_gradients();
  gradients.dense.set("b", {1, -1e200});
  EXPECT_EQ(rejection_message(AdamOptions{}, 0.1, gradients),
            "gradient of b has the element [1] = -1e+200; expected elements with finite squares "
            "(C5)");
  EXPECT_EQ(train_one_parameter<double>(SgdOptions{}, 1, {0}, {{1e200}})(0), -1e200);
}

TEST(OptimizerContract, C6_RejectsStateOfOtherParameters) {
  const auto message = [](const std::function<void(OptimizerState<double>&)>& change_state) {
    return rejection_message(AdamOptions{}, 0.1, valid_gradients(), change_state);
  };
  EXPECT_EQ(message([](auto& state) { state.moments = {}; }),
            "state has no 'beta1_power'; expected that of initial_optimizer_state, shape [1] (C6)");
  EXPECT_EQ(message([](auto& state) {
              state.moments.set("second_moment/a", {{1, 2}});
            }),
            "state has another shape of 'second_moment/a'; expected that of "
            "initial_optimizer_state, shape [3, 2] (C6)");
  EXPECT_EQ(message([](auto& state) { state.moments.set("velocity/a", {1}); }),
            "state has 7 tensors and step 0; expected the 6 tensors of initial_optimizer_state, "
            "step >= 0 (C6)");
  EXPECT_EQ(message([](auto& state) { state.step = -1; }),
            "state has 6 tensors and step -1; expected the 6 tensors of initial_optimizer_state, "
            "step >= 0 (C6)");
}

}  // namespace
}  // namespace normproof::ref::train
