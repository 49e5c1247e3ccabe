#include "verification/checks/evaluation/sequence.hpp"

#include <gtest/gtest.h>

#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/checks/compare/expect.hpp"
#include "tests/verification/checks/evaluation/sample_tensors.hpp"
#include "verification/checks/evaluation/layouts.hpp"

namespace normproof::tests::verification::checks::evaluation {
namespace {

using namespace normproof::verification::checks::evaluation;
namespace model = normproof::ref::model;
using normproof::ref::tensor::shape_of;

EvalInputs sample(const std::string& layer, const Shape& shape, std::size_t steps) {
  return eval_inputs("", sample_tensors(layer, shape, steps), model::norm_options(layer),
                     model::Mode::training, steps != 0);
}

TEST(RunSequence, StacksOutputsOfStepsAndPassesStateOn) {
  const auto options = model::norm_options("power_norm");
  const EvalInputs inputs = sample("power_norm", {6, 4}, 3);
  const auto stack = run_sequence<double>(options, inputs, true);
  auto state = inputs.state;
  for (std::size_t s = 0; s < 3; ++s) {
    const auto step = normproof::ref::norm::norm_step<double>(options, inputs.steps[s], state);
    const auto& nu = step.state.at("nu");
    ASSERT_EQ(shape_of(stack.at("nu")), (Shape{3, 4}));
    for (std::size_t i = 0; i < nu.size(); ++i) EXPECT_EQ(stack.at("nu")(s, i), nu(i));
    const auto& y = step.outputs.at("y");
    for (std::size_t i = 0; i < y.size(); ++i)
      EXPECT_EQ(stack.at("y").data()[s * y.size() + i], y.data()[i]);
    state = step.state;
  }
}

TEST(RunSequence, OneUnstackedStepHasTheShapesOfTheLayer) {
  const auto results = run_sequence<double>(model::norm_options("batch_norm"),
                                            sample("batch_norm", {5, 3}, 0), false);
  EXPECT_EQ(shape_of(results.at("y")), (Shape{5, 3}));
  EXPECT_EQ(shape_of(results.at("running_mean")), (Shape{3}));
  EXPECT_EQ(results.names(), (std::vector<std::string>{"y", "mean", "biased_variance", "rstd",
                                                       "grad_x", "grad_gamma", "grad_beta",
                                                       "running_mean", "running_variance"}));
}

TEST(RunSequence, LayoutAppliesToXAndToTensorsOfItsShape) {
  using model::Layout;
  model::NormOptions options = model::norm_options("group_norm");
  model::set_option(options, "groups", "3");
  const Shape images = {2, 6, 2, 5};
  EvalInputs inputs = sample("group_norm", {2, 10, 6}, 0);
  const auto of_rows = run_sequence<double>(options, inputs, false);
  for (auto* tensor : {&inputs.steps[0].x, &inputs.steps[0].grad_y})
    *tensor = convert_to_layout(Layout::channels_first, images, *tensor);
  inputs.steps[0].valid.reshape({2, 2, 5});
  model::set_option(options, "layout", "channels_first");
  const auto results = run_sequence<double>(options, inputs, false);
  ASSERT_EQ(results.names(), of_rows.names());
  for (const auto& [name, values] : of_rows)
    EXPECT_BITS_EQ(name == "y" || name == "grad_x"
                       ? convert_to_layout(Layout::channels_first, images, values)
                       : values,
                   results.at(name));
}

TEST(RunSequence, ErrorNamesTheStep) {
  EvalInputs inputs = sample("batch_norm", {5, 3}, 3);
  inputs.steps[2].x.data()[0] = std::numeric_limits<double>::infinity();
  try {
    run_sequence<double>(model::norm_options("batch_norm"), inputs, true);
    FAIL();
  } catch (const StepError& error) {
    EXPECT_EQ(error.step(), 2u);
  }
}

TEST(RunSequence, C1_RejectsZeroStepsAndSeveralUnstackedSteps) {
  EvalInputs inputs = sample("layer_norm", {5, 3}, 2);
  const auto refusal = [&](bool stacked) {
    return normproof::ref::numeric::contract_message(
        [&] { run_sequence<double>(model::LayerNormOptions{}, inputs, stacked); });
  };
  EXPECT_EQ(refusal(false), "run_sequence: inputs has 2 steps; expected 1 (C1)");
  inputs.steps.clear();
  EXPECT_EQ(refusal(true), "run_sequence: inputs has 0 steps; expected 1 or more (C1)");
}

}  // namespace
}  // namespace normproof::tests::verification::checks::evaluation
