#include "gpu/decoder/decoder_layer.hpp"

#include <gtest/gtest.h>

#include "tests/gpu/decoder/samples.hpp"
#include "tests/gpu/device/refusal.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::gpu::decoder {
namespace {

using device::Device;
using device::download;
using device::upload;
using ref::tensor::Mask;
using RefTensor = ref::tensor::Tensor<double>;

constexpr auto kLayerName = "decoder.layers.1";

/// Runs two steps of decoder layer 1 on the device and in the reference, and expects equal bits.
/// The gradient with respect to the encoder output starts from a nonzero tensor, as if later layers
/// had added to it already.
void expect_same_decoder_layer(Device& device, const DecoderConfig& config, const Mask& valid,
                               const Mask& memory_valid, ref::model::Mode mode) {
  const RefTensors named = sample_parameters(config);
  const auto parameters = ref::decoder::from_named(config, named);
  const EncoderConfig side = target_side(config);
  const auto ref_side = ref::decoder::target_side(config);
  const auto x = random_normal_tensor({2, 5, 8}, "x"),
             grad_y = random_normal_tensor({2, 5, 8}, "grad_y");
  const ref::decoder::Memory<double> memory{random_normal_tensor({2, 7, 8}, "memory"),
                                            memory_valid};
  const Memory memory_there{upload(device, memory.values), DeviceMask(device, memory_valid)};
  RefTensors state = ref::decoder::initial_norm_state<double>(config);
  NamedDeviceTensors got_state = upload(device, state);
  RefTensor grad_memory = random_normal_tensor({2, 7, 8}, "behind");
  DeviceTensor<double> got_grad_memory = upload(device, grad_memory);
  ref::decoder::DecoderLayer<double> layer(ref_side, parameters.layers[1], kLayerName, {});
  DecoderLayer got(side, upload(device, named), kLayerName);
  const DeviceMask mask(device, valid);
  for (std::uint64_t step = 4; step < 6; ++step) {
    const ref::encoder::ModelRunSettings ref_run{.mode = mode, .seed = 3, .step = step};
    const ModelRunSettings run{.mode = mode, .seed = 3, .step = step};
    EXPECT_BITS_EQ(download(got.forward(upload(device, x), mask, memory_there, run, got_state)),
                   layer.forward(x, valid, memory, ref_run, state));
    ref::decoder::DecoderParameters<double> gradients;
    gradients.layers.resize(2);
    NamedDeviceTensors got_gradients;
    EXPECT_BITS_EQ(
        download(got.backward(upload(device, grad_y), memory_there, run, got_state, got_gradients,
                              got_grad_memory)),
        layer.backward(grad_y, memory, ref_run, state, gradients.layers[1], grad_memory));
    EXPECT_BITS_EQ(download(got_grad_memory), grad_memory);
    const RefTensors expected = ref::decoder::to_named(std::move(gradients));
    EXPECT_EQ(got_gradients.size(), expected.size());
    for (const auto& [name, values] : expected)
      EXPECT_BITS_EQ(download(got_gradients.at(name)), values) << name;
  }
  for (const auto& [name, values] : state)
    EXPECT_BITS_EQ(download(got_state.at(name)), values) << name;
}

TEST(DeviceDecoderLayer, MatchesReferenceBitsForEveryNormAndPlacement) {
  const auto device = device::simulated_device(5);
  const Mask valid = random_mask({2, 5}, "valid"), memory_valid = random_mask({2, 7}, "memory");
  for (DecoderConfig config : make_translators_of_every_norm()) {
    SCOPED_TRACE(ref::model::norm_name(config.decoder.norm));
    expect_same_decoder_layer(*device, config, valid, memory_valid, ref::model::Mode::training);
    expect_same_decoder_layer(*device, config, valid, memory_valid, ref::model::Mode::inference);
    config.dropout = 0;
    config.activation = ref::model::Activation::gelu_tanh;
    expect_same_decoder_layer(*device, config, {}, memory_valid, ref::model::Mode::training);
    expect_same_decoder_layer(*device, config, valid, {}, ref::model::Mode::training);
  }
}

TEST(DeviceDecoderLayer, MatchesReferenceAttentionWeightsWithGivenDropoutMasks) {
  const auto device = device::simulated_device(5);
  const DecoderConfig config =
      small_translator_config("none", "layer_norm", ref::model::NormPlacement::pre);
  const EncoderConfig side = target_side(config);
  DecoderLayer layer(side, upload(*device, sample_parameters(config)), kLayerName);
  const auto x = upload(*device, random_normal_tensor({2, 5, 8}, "x"));
  const Memory memory{upload(*device, random_normal_tensor({2, 7, 8}, "memory"))};
  NamedDeviceTensors state;
  layer.forward(x, {}, memory, {}, state);
  EXPECT_EQ(layer.self_attention_weights().shape(), (device::Shape{2, 2, 5, 5}));
  EXPECT_EQ(layer.cross_attention_weights().shape(), (device::Shape{2, 2, 5, 7}));
  std::map<std::string, DeviceTensor<bool>> masks;
  ModelRunSettings run;
  run.masks = &masks;
  const auto add = [&](const char* part, const ref::tensor::Shape& shape) {
    const std::string missing = refusal_message([&] { layer.forward(x, {}, memory, run, state); });
    const std::string name = std::string(kLayerName) + part;
    EXPECT_EQ(missing,
              "encoder layer: masks has no " + name + "; expected one for each dropout (C1)");
    masks.emplace(name, upload(*device, random_mask(shape, name)));
  };
  add(".self_attention.weights", {2, 2, 5, 5});
  add(".self_attention.y", {2, 5, 8});
  add(".cross_attention.weights", {2, 2, 5, 7});
  add(".cross_attention.y", {2, 5, 8});
  add(".feed_forward.active", {2, 5, 10});
  add(".feed_forward.y", {2, 5, 8});
  EXPECT_EQ(refusal_message([&] { layer.forward(x, {}, memory, run, state); }), kNoError);
}

}  // namespace
}  // namespace normproof::gpu::decoder
