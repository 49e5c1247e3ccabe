#include "gpu/train/trainer.hpp"

#include <gtest/gtest.h>

#include <array>

#include "ref/train/learning_rate.hpp"
#include "ref/train/trainer.hpp"
#include "tests/gpu/device/samples.hpp"
#include "tests/verification/compare/expect.hpp"

namespace normproof::gpu::train {
namespace {

using device::DeviceMask;
using device::download;
using device::upload;
using ref::model::TrainConfig;

const std::vector<std::int32_t> kTokenIds = {1, 4, 4, 0, 10, 2, 3, 4, 0, 0, 7, 7, 1, 0, 0};

void expect_same_trajectory(Device& device, const TrainConfig& config, int steps) {
  auto state = ref::train::initial_train_state(config);
  TrainState got;
  for (const auto& [name, values] : state.parameters)
    got.parameters.set(name, upload(device, values));
  for (const auto& [name, values] : state.norms) got.norms.set(name, upload(device, values));
  for (const auto& [name, values] : state.optimizer.moments)
    got.optimizer.moments.set(name, upload(device, values));
  const auto valid = sample_mask({3, 5}, "valid");
  const ref::tensor::Tensor<double> weights = {0.5, 2, 1};
  ref::train::LabelledBatch sentences;
  sentences.labels = {0, 2, 1};
  sentences.inputs = {{3, 5, kTokenIds}, valid};
  const std::array<ref::train::LabelledBatch, 1> batches{sentences};
  LabelledBatch batch;
  batch.labels = {0, 2, 1};
  batch.inputs = {{3, 5, kTokenIds}, DeviceMask(device, valid)};
  for (int s = 0; s < steps; ++s) {
    const auto expected = ref::train::train_step<double>(config, batches, weights, state);
    const StepResult result = train_step(config, batch, upload(device, weights), got);
    ASSERT_EQ(result.loss, expected.loss) << s;
    EXPECT_EQ(result.gradient_norms.whole, expected.gradient_norms.whole);
    EXPECT_EQ(result.learning_rate, expected.learning_rate);
  }
  for (const auto& [name, values] : state.parameters)
    EXPECT_BITS_EQ(download(got.parameters.at(name)), values) << name;
  for (const auto& [name, values] : state.norms)
    EXPECT_BITS_EQ(download(got.norms.at(name)), values) << name;
}

TEST(DeviceTrainer, TheTrajectoryOfTheReference) {
  TrainConfig config;
  config.encoder = {.vocab_size = 11,
                    .d_model = 8,
                    .num_heads = 2,
                    .d_ff = 12,
                    .num_layers = 2,
                    .num_classes = 3,
                    .dropout = 0.1};
  config.learning_rate = 0.05;
  for (const auto& device : devices())
    for (const auto& norm :
         {ref::model::norm_options("layer_norm"), ref::model::norm_options("batch_norm"),
          ref::model::norm_options("power_norm")}) {
      config.encoder.norm = norm;
      config.optimizer = ref::model::SgdOptions{};
      config.max_gradient_norm = 0.5;
      expect_same_trajectory(*device, config, 3);
      config.optimizer = ref::model::AdamOptions{};
      config.max_gradient_norm = {};
      config.encoder.activation = ref::model::Activation::gelu_tanh;
      config.loss.label_smoothing = 0.1;
      expect_same_trajectory(*device, config, 3);
    }
}

TEST(DeviceTrainer, TheRatesOfTheReference) {
  for (const ref::model::ScheduleOptions& schedule :
       {ref::model::ScheduleOptions{ref::model::ConstantRate{}},
        ref::model::ScheduleOptions{ref::model::LinearWarmup{3}},
        ref::model::ScheduleOptions{ref::model::InverseSquareRoot{3}}})
    for (const std::int64_t step : {1, 2, 3, 4, 100})
      EXPECT_EQ(learning_rate(schedule, 0.3, step), ref::train::learning_rate(schedule, 0.3, step));
}

}  // namespace
}  // namespace normproof::gpu::train
