#include "gpu/encoder/encoder_layer.hpp"

#include <gtest/gtest.h>

#include "ref/encoder/encoder_layer.hpp"
#include "tests/gpu/encoder/samples.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::gpu::encoder {
namespace {

using device::download;
using device::upload;

void expect_same_layer(Device& device, const EncoderConfig& config,
                       const ref::tensor::Mask& valid) {
  const RefNamed named = sample_parameters(config);
  const auto parameters = ref::encoder::from_named(config, named);
  const auto x = random_normal_tensor({2, 5, 8}, "x"),
             grad_y = random_normal_tensor({2, 5, 8}, "grad_y");
  const ref::encoder::ModelRunSettings ref_run{.seed = 3, .step = 4};
  const ModelRunSettings run{.seed = 3, .step = 4};
  RefNamed state = ref::encoder::initial_norm_state<double>(config);
  NamedDeviceTensors got_state = on_device(device, state);

  const ref::encoder::TensorTap<double> tap;
  ref::encoder::EncoderLayer<double> layer(config, parameters.layers[0], "layers.0", tap);
  EncoderLayer got(config, on_device(device, named), "layers.0");
  const DeviceMask mask(device, valid);
  EXPECT_BITS_EQ(download(got.forward(upload(device, x), mask, run, got_state)),
                 layer.forward(x, valid, ref_run, state));
  ref::encoder::EncoderParameters<double> gradients;
  gradients.layers.resize(1);
  NamedDeviceTensors got_gradients;
  EXPECT_BITS_EQ(download(got.backward(upload(device, grad_y), run, got_state, got_gradients)),
                 layer.backward(grad_y, ref_run, state, gradients.layers[0]));
  for (const auto& [name, values] : ref::encoder::to_named(std::move(gradients)))
    EXPECT_BITS_EQ(download(got_gradients.at(name)), values) << name;
  for (const auto& [name, values] : state)
    EXPECT_BITS_EQ(download(got_state.at(name)), values) << name;
}

TEST(DeviceEncoderLayer, MatchesReferenceBitsForEveryNormAndPlacement) {
  const auto mask = random_mask({2, 5}, "valid");
  const auto device = device::simulated_device(5);
  for (const auto& name : ref::model::norm_names())
    for (const auto placement : {ref::model::NormPlacement::post, ref::model::NormPlacement::pre}) {
      SCOPED_TRACE(name);
      EncoderConfig config = small_config();
      config.norm = ref::model::norm_options(name);
      config.placement = placement;
      expect_same_layer(*device, config, mask);
      config.causal = !ref::model::norm_layer(config.norm).uses_statistics_per_sample();
      expect_same_layer(*device, config, mask);
      config.dropout = 0;
      expect_same_layer(*device, config, {});
    }
}

}  // namespace
}  // namespace normproof::gpu::encoder
