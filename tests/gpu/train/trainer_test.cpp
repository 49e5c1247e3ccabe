#include "gpu/train/trainer.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "gpu/ops/library_products.hpp"
#include "ref/train/learning_rate.hpp"
#include "ref/train/trainer.hpp"
#include "tests/gpu/device/refusal.hpp"
#include "tests/gpu/train/samples.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::gpu::train {
namespace {

using device::DeviceMask;
using device::download;
using device::upload;
using ref::model::TrainConfig;

const std::vector<std::int32_t> kTokenIds = {1, 4, 4, 0, 10, 2, 3, 4, 0, 0, 7, 7, 1, 0, 0};

/// Training batches in two forms with the same contents: the types of the reference, and the types
/// of the device.
struct HostAndDeviceBatches {
  std::vector<ref::train::LabelledBatch> reference;
  std::vector<LabelledBatch> on_device;
};
HostAndDeviceBatches sample_batches(Device& device, std::int64_t count) {
  HostAndDeviceBatches batches;
  const auto valid = random_mask({3, 5}, "valid");
  for (std::int64_t i = 0; i < count; ++i) {
    std::vector<std::int32_t> ids = kTokenIds;
    for (std::int32_t& id : ids) id = static_cast<std::int32_t>((id + 3 * i) % 11);
    ref::train::LabelledBatch sentences;
    sentences.labels = {0, 2, 1};
    sentences.inputs = {{3, 5, ids}, valid};
    batches.reference.push_back(sentences);
    LabelledBatch batch;
    batch.labels = {0, 2, 1};
    batch.inputs = {{3, 5, ids}, DeviceMask(device, valid)};
    batches.on_device.push_back(batch);
  }
  return batches;
}

TrainConfig small_config(const std::string& norm) {
  TrainConfig config;
  config.encoder = {.vocab_size = 11, .d_model = 8, .num_heads = 2, .d_ff = 12, .dropout = 0.1};
  config.encoder.norm = ref::model::norm_options(norm);
  config.optimizer = ref::model::AdamOptions{};
  return config;
}

void expect_same_trajectory(Device& device, const TrainConfig& config, int steps) {
  auto state = ref::train::initial_train_state(config);
  TrainState got = upload_state(device, state);
  const ref::tensor::Tensor<double> weights = {0.5, 2, 1};
  const HostAndDeviceBatches batches = sample_batches(device, config.accumulation);
  for (int s = 0; s < steps; ++s) {
    const auto expected = ref::train::train_step<double>(config, batches.reference, weights, state);
    const StepResult result = train_step(config, batches.on_device, upload(device, weights), got);
    ASSERT_EQ(result.loss, expected.loss) << s;
    EXPECT_EQ(result.gradient_norms.whole, expected.gradient_norms.whole);
    EXPECT_EQ(result.learning_rate, expected.learning_rate);
    EXPECT_EQ(result.predictions, expected.predictions);
  }
  for (const auto& [name, values] : state.parameters)
    EXPECT_BITS_EQ(download(got.parameters.at(name)), values) << name;
  for (const auto& [name, values] : state.norms)
    EXPECT_BITS_EQ(download(got.norms.at(name)), values) << name;
}

TEST(DeviceTrainer, MatchesReferenceTrajectory) {
  TrainConfig config;
  config.encoder = {.vocab_size = 11,
                    .d_model = 8,
                    .num_heads = 2,
                    .d_ff = 12,
                    .num_layers = 2,
                    .num_classes = 3,
                    .dropout = 0.1};
  config.learning_rate = 0.05;
  for (const auto& device : make_simulated_devices())
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

TEST(DeviceTrainer, MatchesReferenceWithSeveralBatchesPerStep) {
  const auto device = device::simulated_device(7);
  TrainConfig config;
  config.encoder = {.vocab_size = 11, .d_model = 8, .num_heads = 2, .d_ff = 12, .dropout = 0.1};
  config.accumulation = 3;
  for (const char* norm : {"layer_norm", "power_norm", "power_norm_released"}) {
    config.encoder.norm = ref::model::norm_options(norm);
    expect_same_trajectory(*device, config, 3);
  }
}

TEST(DeviceTrainer, StepInInferenceModeMatchesReferenceForEveryNorm) {
  for (const std::string& norm : ref::model::norm_names()) {
    const TrainConfig config = small_config(norm);
    for (const auto& device : make_simulated_devices()) {
      auto state = ref::train::initial_train_state(config);
      TrainState got = upload_state(*device, state);
      const HostAndDeviceBatches batches = sample_batches(*device, 1);
      for (const auto mode : {ref::model::Mode::training, ref::model::Mode::inference}) {
        const auto expected =
            ref::train::train_step<double>(config, batches.reference, {}, state, {}, mode);
        const StepResult result =
            train_step(config, batches.on_device, {}, got, ops::ordered_products(), mode);
        EXPECT_BITS_EQ(result.loss, expected.loss) << norm;
        EXPECT_BITS_EQ(result.gradient_norms.whole, expected.gradient_norms.whole) << norm;
      }
      for (const auto& [name, values] : state.parameters)
        EXPECT_BITS_EQ(download(got.parameters.at(name)), values) << norm << ' ' << name;
      for (const auto& [name, values] : state.norms)
        EXPECT_BITS_EQ(download(got.norms.at(name)), values) << norm << ' ' << name;
    }
  }
}

TEST(DeviceTrainer, MatchesReferenceEvaluation) {
  const ref::tensor::Tensor<double> weights = {0.5, 2, 1};
  for (const auto pooling : {ref::model::Pooling::masked_mean, ref::model::Pooling::per_position})
    for (const bool masks : {false, true})
      for (const auto& given : {ref::tensor::Tensor<double>{}, weights})
        for (const auto& device : make_simulated_devices()) {
          TrainConfig config = small_config("batch_norm");
          config.encoder.pooling = pooling;
          config.encoder.mask_padding = masks;
          auto state = ref::train::initial_train_state(config);
          TrainState got = upload_state(*device, state);
          const HostAndDeviceBatches batches = sample_batches(*device, 3);
          const auto expected =
              ref::train::evaluate<double>(config, batches.reference, given, state);
          const Evaluation result =
              evaluate(config, batches.on_device, upload(*device, given), got);
          EXPECT_BITS_EQ(result.loss, expected.loss);
          EXPECT_EQ(result.predictions, expected.predictions);
          for (const auto& [name, values] : state.norms)
            EXPECT_BITS_EQ(download(got.norms.at(name)), values) << name;
          EXPECT_EQ(refusal_message([&] { evaluate(config, {}, {}, got); }),
                    refusal_message([&] { ref::train::evaluate<double>(config, {}, {}, state); }));
        }
}

TEST(DeviceTrainer, MatchesReferencePredictions) {
  const auto valid = random_mask({4, 5}, "valid");
  for (const device::Shape& shape : {device::Shape{4, 3}, {4, 5, 3}, {4, 1, 2}})
    for (int k = 0; k < 20; ++k) {
      auto logits = random_normal_tensor(shape, std::to_string(k));
      for (double& v : logits) v = v < 0 ? -1 : v < 1 ? 0 : 3;  // creates equal sums
      const auto flags = shape.size() == 3 && shape[1] == 5 ? valid : ref::tensor::Mask();
      EXPECT_EQ(predict(logits, flags), ref::train::predict(logits, flags));
    }
}

TEST(DeviceTrainer, MatchesReferenceGradient) {
  const auto device = device::simulated_device(5);
  TrainConfig config = small_config("power_norm");
  config.accumulation = 2;
  auto state = ref::train::initial_train_state(config);
  const TrainState got = upload_state(*device, state);
  const HostAndDeviceBatches batches = sample_batches(*device, 2);
  const auto expected = ref::train::loss_gradient<double>(config, batches.reference, {}, state);
  const LossGradient result = loss_gradient(config, batches.on_device, {}, got);
  EXPECT_BITS_EQ(result.loss, expected.loss);
  EXPECT_EQ(result.predictions, expected.predictions);
  for (const auto& [name, values] : expected.gradients.dense)
    EXPECT_BITS_EQ(download(result.gradients.dense.at(name)), values) << name;
  EXPECT_EQ(result.gradients.rows[0].second.rows, expected.gradients.rows[0].second.rows);
  EXPECT_BITS_EQ(download(result.gradients.rows[0].second.values),
                 expected.gradients.rows[0].second.values);
  for (const auto& [name, values] : expected.norms)
    EXPECT_BITS_EQ(download(result.norms.at(name)), values) << name;
}

TEST(DeviceTrainer, ErrorMessagesMatchTheReference) {
  const auto device = device::simulated_device();
  TrainConfig config;
  config.encoder = {.vocab_size = 11, .d_model = 8, .num_heads = 2, .d_ff = 12};
  config.accumulation = 2;
  const auto expect_refused = [&](const HostAndDeviceBatches& batches) {
    auto state = ref::train::initial_train_state(config);
    TrainState got = upload_state(*device, state);
    const std::string expected = refusal_message(
        [&] { ref::train::train_step<double>(config, batches.reference, {}, state); });
    EXPECT_NE(expected, kNoError);
    EXPECT_EQ(refusal_message([&] { train_step(config, batches.on_device, {}, got); }), expected);
  };
  expect_refused({});
  expect_refused(sample_batches(*device, 3));
  HostAndDeviceBatches batches = sample_batches(*device, 2);
  batches.reference[1].targets = batches.on_device[1].targets = std::vector<int>(15, 1);
  expect_refused(batches);
  config.encoder.pooling = ref::model::Pooling::per_position;
  batches.reference[1].targets = batches.on_device[1].targets = std::vector<int>(14, 1);
  expect_refused(batches);
}

/// Matrix products that report that they need values on the host. A training step that uses them is
/// not recorded: the device runs each operation at once.
class HostVisibleProducts final : public ops::Products {
 public:
  explicit HostVisibleProducts(const ops::Products& products = ops::ordered_products())
      : products_(products) {}
  void multiply(Device& device, const ops::Matrices<double>& c,
                const ops::Matrices<const double>& a, const ops::Matrices<const double>& b,
                bool add) const override {
    products_.multiply(device, c, a, b, add);
  }
  bool needs_host_values() const override { return true; }

 private:
  const ops::Products& products_;
};

struct TrainingResult {
  ref::tensor::NamedTensors<double> parameters, norms;
  std::uint64_t launches;
};
TrainingResult run_training(const TrainConfig& config, const ops::Products& products,
                            std::uint64_t seed = 1) {
  const auto device = device::simulated_device(seed);
  TrainState state = upload_state(*device, ref::train::initial_train_state(config));
  const HostAndDeviceBatches batches = sample_batches(*device, config.accumulation);
  for (int s = 0; s < 3; ++s) train_step(config, batches.on_device, {}, state, products);
  return {download(state.parameters), download(state.norms), device->next_order()};
}

TEST(DeviceTrainer, RecordedStepHasTheBitsOfAnUnrecordedStep) {
  for (const std::string& norm : ref::model::norm_names())
    for (const std::int64_t accumulation : {1, 2}) {
      TrainConfig config = small_config(norm);
      config.accumulation = accumulation;
      config.max_gradient_norm = 0.5;
      const TrainingResult recorded = run_training(config, ops::ordered_products());
      const TrainingResult plain = run_training(config, HostVisibleProducts());
      for (const auto& [name, values] : plain.parameters)
        EXPECT_BITS_EQ(recorded.parameters.at(name), values) << norm << ' ' << name;
      for (const auto& [name, values] : plain.norms)
        EXPECT_BITS_EQ(recorded.norms.at(name), values) << norm << ' ' << name;
      // If the recorded work were rejected, the step would be repeated with twice as many launches.
      EXPECT_LT(recorded.launches, plain.launches * 5 / 4) << norm;
    }
}

TEST(DeviceTrainer, RecordedStepMatchesAnUnrecordedStepWithLibraryProducts) {
  const TrainConfig config = small_config("power_norm");
  for (const auto precision : {ops::Precision::float64, ops::Precision::bfloat16}) {
    const ops::LibraryProducts library(precision);
    // With seed 0 the simulated library always adds in the same order.
    const TrainingResult recorded = run_training(config, library, 0);
    const TrainingResult plain = run_training(config, HostVisibleProducts(library), 0);
    for (const auto& [name, values] : plain.parameters)
      EXPECT_BITS_EQ(recorded.parameters.at(name), values) << name;
  }
}

/// Sets the first element of one tensor of the training state to an invalid value. The tensor is a
/// state of a norm if `of_norms` is true, else a parameter. Expects device and reference to give
/// the same error message and to leave the state unchanged.
void expect_same_error_for_invalid_value(const TrainConfig& config, bool of_norms,
                                         const std::string& name, double value,
                                         const ref::tensor::Tensor<double>& weights = {}) {
  const auto device = device::simulated_device();
  const HostAndDeviceBatches batches = sample_batches(*device, 1);
  auto state = ref::train::initial_train_state(config);
  (of_norms ? state.norms : state.parameters).at(name).data()[0] = value;
  TrainState got = upload_state(*device, state);
  const std::string expected = refusal_message(
      [&] { ref::train::train_step<double>(config, batches.reference, weights, state); });
  ASSERT_NE(expected, kNoError) << name << ' ' << value;
  EXPECT_EQ(refusal_message(
                [&] { train_step(config, batches.on_device, upload(*device, weights), got); }),
            expected);
  for (const auto& [parameter, values] : state.parameters)
    EXPECT_BITS_EQ(download(got.parameters.at(parameter)), values) << parameter;
  for (const auto& [entry, values] : state.norms)
    EXPECT_BITS_EQ(download(got.norms.at(entry)), values) << entry;
  for (const auto& [moment, values] : state.optimizer.moments)
    EXPECT_BITS_EQ(download(got.optimizer.moments.at(moment)), values) << moment;
  EXPECT_EQ(got.step, 0);
}

TEST(DeviceTrainer, ErrorMessagesOfARecordedStepMatchTheReference) {
  const double infinity = std::numeric_limits<double>::infinity();
  const TrainConfig layer = small_config("layer_norm");
  const TrainConfig power = small_config("power_norm");
  expect_same_error_for_invalid_value(layer, false, "embedding.weight", infinity);
  expect_same_error_for_invalid_value(layer, false, "layers.0.norm1.gamma", -infinity);
  expect_same_error_for_invalid_value(layer, false, "head.bias", infinity);
  expect_same_error_for_invalid_value(layer, false, "layers.0.attention.in.weight", infinity);
  expect_same_error_for_invalid_value(power, true, "layers.0.norm1.running_psi2", -1);
  expect_same_error_for_invalid_value(power, true, "layers.0.norm2.iterations", 0.5);
  expect_same_error_for_invalid_value(power, true, "layers.0.norm2.nu", infinity);
  // While a step is recorded, the invalid smoothing is found at once, but the infinity is not seen.
  // The reference finds the infinity first, so the device must report the infinity too.
  TrainConfig smooth = small_config("layer_norm");
  smooth.loss.label_smoothing = 1.5;
  expect_same_error_for_invalid_value(smooth, false, "embedding.weight", infinity);
  expect_same_error_for_invalid_value(layer, false, "head.bias", 0, {1, -1, 1});
  expect_same_error_for_invalid_value(layer, false, "head.bias", 0, {0, 0, 0});
  expect_same_error_for_invalid_value(layer, false, "head.bias", 0, {1.7e308, 1.7e308, 0});
}

TEST(DeviceTrainer, MatchesReferenceLearningRates) {
  for (const ref::model::ScheduleOptions& schedule :
       {ref::model::ScheduleOptions{ref::model::ConstantRate{}},
        ref::model::ScheduleOptions{ref::model::LinearWarmup{3}},
        ref::model::ScheduleOptions{ref::model::InverseSquareRoot{3}}})
    for (const std::int64_t step : {1, 2, 3, 4, 100})
      EXPECT_EQ(learning_rate(schedule, 0.3, step), ref::train::learning_rate(schedule, 0.3, step));
}

}  // namespace
}  // namespace normproof::gpu::train
