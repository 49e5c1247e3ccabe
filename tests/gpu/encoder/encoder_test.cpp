#include "gpu/encoder/encoder.hpp"

#include <gtest/gtest.h>

#include "ref/encoder/encoder.hpp"
#include "tests/gpu/device/refusal.hpp"
#include "tests/gpu/encoder/samples.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::gpu::encoder {
namespace {

using device::download;
using device::upload;

const std::vector<std::int32_t> kIds = {1, 4, 4, 0, 10, 2, 3, 4, 0, 0};

void expect_same_encoder(Device& device, const EncoderConfig& config,
                         const ref::tensor::Mask& valid, ref::model::Mode mode) {
  const RefNamed named = sample_parameters(config);
  const auto parameters = ref::encoder::from_named(config, named);
  RefNamed state = ref::encoder::initial_norm_state<double>(config);
  NamedDeviceTensors got_state = on_device(device, state);
  ref::encoder::Encoder<double> encoder(config, parameters);
  Encoder got(config, on_device(device, named));
  const auto logits =
      encoder.forward({{2, 5, kIds}, valid}, {.mode = mode, .seed = 3, .step = 4}, state);
  EXPECT_BITS_EQ(download(got.forward({{2, 5, kIds}, DeviceMask(device, valid)},
                                      {.mode = mode, .seed = 3, .step = 4}, got_state)),
                 logits);
  const auto grad = random_normal_tensor(ref::tensor::shape_of(logits), "grad");
  auto expected = encoder.backward(grad, state);
  const EncoderGradients gradients = got.backward(upload(device, grad), got_state);
  EXPECT_EQ(gradients.embedding.rows, expected.embedding.rows);
  EXPECT_EQ(gradients.embedding.rows.empty(), config.tied_head);
  if (!config.tied_head) {
    EXPECT_BITS_EQ(download(gradients.embedding.values), expected.embedding.values);
  }
  const RefNamed dense = ref::encoder::to_named(std::move(expected.parameters));
  EXPECT_EQ(gradients.dense.size(), dense.size());
  for (const auto& [name, values] : dense)
    EXPECT_BITS_EQ(download(gradients.dense.at(name)), values) << name;
  EXPECT_EQ(gradients.dense.begin()->first == "embedding.weight", config.tied_head);
  for (const auto& [name, values] : state)
    EXPECT_BITS_EQ(download(got_state.at(name)), values) << name;
}

TEST(DeviceEncoder, MatchesReferenceBits) {
  const auto mask = random_mask({2, 5}, "valid");
  for (const auto& device : make_simulated_devices())
    for (const auto placement : {ref::model::NormPlacement::post, ref::model::NormPlacement::pre})
      for (const auto pooling :
           {ref::model::Pooling::masked_mean, ref::model::Pooling::per_position}) {
        EncoderConfig config = small_config();
        config.placement = placement;
        config.pooling = pooling;
        config.activation = ref::model::Activation::gelu;
        config.norm = ref::model::BatchNormOptions{};
        expect_same_encoder(*device, config, mask, ref::model::Mode::training);
        expect_same_encoder(*device, config, mask, ref::model::Mode::inference);
        config.positions = config.mask_padding = false;
        expect_same_encoder(*device, config, mask, ref::model::Mode::training);
      }
}

TEST(DeviceEncoder, MatchesReferenceBitsWithTiedHead) {
  const auto mask = random_mask({2, 5}, "valid");
  for (const auto& device : make_simulated_devices())
    for (const auto placement : {ref::model::NormPlacement::post, ref::model::NormPlacement::pre})
      for (const auto pooling :
           {ref::model::Pooling::masked_mean, ref::model::Pooling::per_position}) {
        EncoderConfig config = small_config();
        config.num_classes = config.vocab_size;
        config.tied_head = true;
        config.causal = true;
        config.placement = placement;
        config.pooling = pooling;
        expect_same_encoder(*device, config, mask, ref::model::Mode::training);
        config.scaled_embedding = true;
        expect_same_encoder(*device, config, mask, ref::model::Mode::training);
      }
}

TEST(DeviceEncoder, KeepsCopyOfItsConfig) {
  const auto device = device::simulated_device();
  const EncoderConfig config = small_config();
  const NamedDeviceTensors parameters = on_device(*device, sample_parameters(config));
  NamedDeviceTensors state = on_device(*device, ref::encoder::initial_norm_state<double>(config));
  NamedDeviceTensors other_state = state;
  EncoderConfig other = config;
  Encoder expected(config, parameters), encoder(other, parameters);
  other = {};
  const EncoderInputs inputs{{2, 5, kIds}, {}};
  EXPECT_BITS_EQ(download(encoder.forward(inputs, {}, other_state)),
                 download(expected.forward(inputs, {}, state)));
}

TEST(DeviceEncoder, RejectsSentenceWithoutRealTokens) {
  const auto device = device::simulated_device();
  const EncoderConfig config = small_config();
  const RefNamed named = sample_parameters(config);
  const auto parameters = ref::encoder::from_named(config, named);
  ref::tensor::Mask valid = ref::tensor::full_tensor<bool>({2, 5}, false);
  valid.data()[0] = true;
  EXPECT_EQ(
      refusal_message([&] {
        NamedDeviceTensors state;
        Encoder(config, on_device(*device, named))
            .forward({{2, 5, kIds}, DeviceMask(*device, valid)}, {}, state);
      }),
      refusal_message([&] {
        RefNamed state;
        ref::encoder::Encoder<double>(config, parameters).forward({{2, 5, kIds}, valid}, {}, state);
      }));
}

}  // namespace
}  // namespace normproof::gpu::encoder
