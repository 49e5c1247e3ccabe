#include "gpu/decoder/decoder.hpp"

#include <gtest/gtest.h>

#include "tests/gpu/decoder/samples.hpp"
#include "tests/gpu/device/refusal.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::gpu::decoder {
namespace {

using device::Device;
using device::download;
using device::upload;

/// Returns two sentence pairs with padding in the sources and in the targets.
ref::decoder::DecoderInputs sample_inputs() {
  return {{{2, 6, {1, 4, 4, 10, 10, 2, 3, 4, 0, 7, 0, 0}}, random_mask({2, 6}, "source")},
          {{2, 4, {8, 1, 1, 0, 2, 2, 5, 3}}, random_mask({2, 4}, "target")}};
}

encoder::EncoderInputs upload_inputs(Device& device, const ref::encoder::EncoderInputs& inputs) {
  return {{inputs.tokens.batch_size, inputs.tokens.seq_len, inputs.tokens.ids},
          DeviceMask(device, inputs.valid)};
}
DecoderInputs upload_inputs(Device& device, const ref::decoder::DecoderInputs& inputs) {
  return {upload_inputs(device, inputs.source), upload_inputs(device, inputs.target)};
}

void expect_same_rows(const nn::RowGradient& got, const ref::nn::RowGradient<double>& expected) {
  EXPECT_EQ(got.rows, expected.rows);
  if (!expected.rows.empty()) {
    EXPECT_BITS_EQ(download(got.values), expected.values);
  }
}

void expect_same_decoder(Device& device, const DecoderConfig& config,
                         const ref::decoder::DecoderInputs& inputs, ref::model::Mode mode) {
  const RefTensors named = sample_parameters(config);
  const auto parameters = ref::decoder::from_named(config, named);
  RefTensors state = ref::decoder::initial_norm_state<double>(config);
  NamedDeviceTensors got_state = upload(device, state);
  ref::decoder::Decoder<double> decoder(config, parameters);
  Decoder got(config, upload(device, named));
  const auto logits = decoder.forward(inputs, {.mode = mode, .seed = 3, .step = 4}, state);
  EXPECT_BITS_EQ(download(got.forward(upload_inputs(device, inputs),
                                      {.mode = mode, .seed = 3, .step = 4}, got_state)),
                 logits);
  const auto grad = random_normal_tensor(ref::tensor::shape_of(logits), "grad");
  auto expected = decoder.backward(grad, state);
  const DecoderGradients gradients = got.backward(upload(device, grad), got_state);
  expect_same_rows(gradients.source_embedding, expected.source_embedding);
  expect_same_rows(gradients.target_embedding, expected.target_embedding);
  const RefTensors dense = ref::decoder::to_named(std::move(expected.parameters));
  ASSERT_EQ(gradients.dense.size(), dense.size());
  auto got_entry = gradients.dense.begin();
  for (const auto& [name, values] : dense) {
    EXPECT_EQ(got_entry->first, name);
    EXPECT_BITS_EQ(download((got_entry++)->second), values) << name;
  }
  for (const auto& [name, values] : state)
    EXPECT_BITS_EQ(download(got_state.at(name)), values) << name;
}

TEST(DeviceDecoder, MatchesReferenceBitsForEveryNormWithTiedAndUntiedHead) {
  const auto device = device::simulated_device(5);
  for (DecoderConfig config : make_translators_of_every_norm()) {
    SCOPED_TRACE(ref::model::norm_name(config.encoder.norm));
    expect_same_decoder(*device, config, sample_inputs(), ref::model::Mode::training);
    config.tied_head = config.scaled_embedding = true;
    expect_same_decoder(*device, config, sample_inputs(), ref::model::Mode::training);
    expect_same_decoder(*device, config, sample_inputs(), ref::model::Mode::inference);
  }
}

TEST(DeviceDecoder, MatchesReferenceBitsInEveryThreadOrderWithDifferentNorms) {
  DecoderConfig config =
      small_translator_config("power_norm", "layer_norm", ref::model::NormPlacement::pre);
  config.encoder.final_norm = ref::model::norm_options("batch_norm");
  config.decoder.final_norm = ref::model::norm_options("rms_norm");
  config.decoder.num_layers = 1;
  config.positions = false;
  ref::decoder::DecoderInputs inputs = sample_inputs();
  for (const auto& device : make_simulated_devices()) {
    expect_same_decoder(*device, config, inputs, ref::model::Mode::training);
    expect_same_decoder(*device, config, {{inputs.source.tokens}, {inputs.target.tokens}},
                        ref::model::Mode::training);
  }
}

TEST(DeviceDecoder, KeepsCopyOfItsConfig) {
  const auto device = device::simulated_device();
  const DecoderConfig config = make_translators_of_every_norm().front();
  const NamedDeviceTensors parameters = upload(*device, sample_parameters(config));
  NamedDeviceTensors state = upload(*device, ref::decoder::initial_norm_state<double>(config));
  NamedDeviceTensors other_state = state;
  DecoderConfig other = config;
  Decoder expected(config, parameters), decoder(other, parameters);
  other = {};
  const DecoderInputs inputs = upload_inputs(*device, sample_inputs());
  EXPECT_BITS_EQ(download(decoder.forward(inputs, {}, other_state)),
                 download(expected.forward(inputs, {}, state)));
}

TEST(DeviceDecoder, ErrorMessagesMatchTheReference) {
  const auto device = device::simulated_device();
  const DecoderConfig config =
      small_translator_config("layer_norm", "layer_norm", ref::model::NormPlacement::post);
  const RefTensors named = sample_parameters(config);
  const auto parameters = ref::decoder::from_named(config, named);
  const auto expect_same = [&](const ref::decoder::DecoderInputs& inputs) {
    const std::string expected = refusal_message([&] {
      RefTensors state;
      ref::decoder::Decoder<double>(config, parameters).forward(inputs, {}, state);
    });
    EXPECT_NE(expected, kNoError);
    EXPECT_EQ(refusal_message([&] {
                NamedDeviceTensors state;
                Decoder(config, upload(*device, named))
                    .forward(upload_inputs(*device, inputs), {}, state);
              }),
              expected);
  };
  auto inputs = sample_inputs();
  inputs.target.tokens = {1, 8, inputs.target.tokens.ids};
  inputs.target.valid = ref::tensor::Mask();
  expect_same(inputs);
  inputs = sample_inputs();
  inputs.source.valid = random_mask({2, 5}, "source");
  expect_same(inputs);
  inputs = sample_inputs();
  inputs.target.valid = random_mask({2, 6}, "target");
  expect_same(inputs);
  inputs = sample_inputs();
  inputs.target.tokens.ids[3] = 9;
  expect_same(inputs);
  inputs = sample_inputs();
  inputs.source.tokens.ids[3] = 11;
  expect_same(inputs);
  NamedDeviceTensors state;
  RefTensors ref_state;
  Decoder got(config, upload(*device, named));
  ref::decoder::Decoder<double> decoder(config, parameters);
  got.forward(upload_inputs(*device, sample_inputs()), {}, state);
  decoder.forward(sample_inputs(), {}, ref_state);
  const auto grad = random_normal_tensor({2, 4, 8}, "grad");
  EXPECT_EQ(refusal_message([&] { got.backward(upload(*device, grad), state); }),
            refusal_message([&] { decoder.backward(grad, ref_state); }));
}

}  // namespace
}  // namespace normproof::gpu::decoder
