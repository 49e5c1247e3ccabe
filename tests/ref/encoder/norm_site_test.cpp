#include "ref/encoder/norm_site.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/ref/encoder/encoders.hpp"

namespace normproof::ref::encoder {
namespace {

using nn::random_tensor;
using ::testing::Contains;

TEST(NamedNorm, ReadsAndUpdatesOnlyTheStateUnderItsName) {
  const model::NormOptions options = model::norm_options("batch_norm");
  const auto initial = norm::initial_state<double>(options, 4);
  NamedTensors<double> state;
  for (const std::string place : {"a", "ab"})
    for (const auto& [name, values] : initial) state.set(place + "." + name, values);
  const NamedTensors<double> before = state;
  const auto x = random_tensor<double>("x", {2, 3, 4}), dy = random_tensor<double>("dy", {2, 3, 4});
  const Mask valid{{true, true, true}, {true, true, false}};
  norm::NormParameters<double> parameters, gradients;
  parameters.set("gamma", random_tensor<double>("gamma", {4}));
  std::vector<std::string> seen;
  const TensorTap<double> tap = [&](const std::string& name, const Tensor<double>&) {
    seen.push_back(name);
  };
  NamedNorm<double> site;
  const auto y =
      run_norm<double>(options, parameters, x, valid, model::Mode::training, "a", state, site, tap);
  const auto grad_x = run_norm_backward<double>(options, dy, "a", state, site, gradients, tap);

  norm::NormInputs<double> inputs{
      .x = x, .gamma = parameters.at("gamma"), .grad_y = dy, .valid = valid};
  const auto step = norm::norm_step(options, inputs, initial);
  EXPECT_EQ(y, step.outputs.at("y"));
  EXPECT_EQ(grad_x, step.outputs.at("grad_x"));
  EXPECT_EQ(gradients.at("gamma"), step.outputs.at("grad_gamma"));
  EXPECT_FALSE(gradients.contains("beta"));
  for (const auto& [name, values] : step.state) {
    EXPECT_EQ(state.at("a." + name), values) << name;
    EXPECT_EQ(state.at("ab." + name), before.at("ab." + name)) << name;
  }
  EXPECT_NE(state.at("a.running_mean"), before.at("a.running_mean"));
  for (const char* name : {"a.x", "a.mean", "a.y", "grad_a.y", "grad_a.x"})
    EXPECT_THAT(seen, Contains(name));
}

}  // namespace
}  // namespace normproof::ref::encoder
