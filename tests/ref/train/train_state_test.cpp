#include "ref/train/train_state.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "ref/train/initialization.hpp"
#include "tests/ref/train/small_runs.hpp"

namespace normproof::ref::train {
namespace {

using model::TrainConfig;

TEST(TrainState, InitialValuesFollowTheConfig) {
  const TrainConfig config = small_train_config();
  const auto state = initial_train_state(config);
  EXPECT_EQ(state.parameters.at("layers.0.norm1.gamma"), tensor::full_tensor<double>({4}, 1.0));
  EXPECT_EQ(state.parameters.at("head.bias"), tensor::full_tensor<double>({3}, 0.0));
  EXPECT_NE(state.parameters.at("head.weight").data()[0], 0);
  TrainConfig other = config;
  other.feed_forward_initialization = model::PlainUniform{.limit = 0};
  const auto zeros = initial_train_state(other);
  EXPECT_EQ(zeros.parameters.at("layers.0.feed_forward.first.weight"),
            tensor::full_tensor<double>({3, 4}, 0.0));
  EXPECT_EQ(zeros.parameters.at("head.weight"), state.parameters.at("head.weight"));
  EXPECT_NE(state_sha256(zeros), state_sha256(state));
}

TEST(TrainState, BiasesFollowTheFanInOfTheirLinearMap) {
  TrainConfig config = small_train_config();
  config.encoder.d_ff = 9;
  const auto zeros = initial_train_state(config);
  config.bias_initialization = model::BiasInitialization::fan_in_uniform;
  const auto drawn = initial_train_state(config);
  for (const auto& [name, limit] :
       {std::pair{"layers.0.feed_forward.first.bias", 0.5},
        std::pair{"layers.0.feed_forward.second.bias", 1. / 3}, std::pair{"head.bias", 0.5}}) {
    const Tensor<double>& bias = drawn.parameters.at(name);
    EXPECT_EQ(bias, initial_values(model::PlainUniform{.limit = limit}, name,
                                   tensor::shape_of(bias), config.seed))
        << name;
    EXPECT_NE(bias, zeros.parameters.at(name)) << name;
  }
  for (const auto& [name, values] : drawn.parameters) {
    if (!name.ends_with(".bias") || name.find("attention") != std::string::npos) {
      EXPECT_EQ(values, zeros.parameters.at(name)) << name;
    }
  }
}

}  // namespace
}  // namespace normproof::ref::train
