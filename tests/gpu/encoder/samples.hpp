#pragma once

#include "gpu/encoder/encoder.hpp"
#include "ref/encoder/parameters.hpp"
#include "tests/gpu/device/samples.hpp"

namespace normproof::gpu::encoder {

using RefNamed = ref::tensor::NamedTensors<double>;

/// Returns random parameters of an encoder, with a standard deviation of 1/2.
inline RefNamed sample_parameters(const EncoderConfig& config) {
  RefNamed named;
  for (const auto& p : ref::encoder::parameter_shapes(config)) {
    auto values = random_normal_tensor(p.shape, p.name);
    for (double& v : values) v /= 2;
    named.set(p.name, std::move(values));
  }
  return named;
}

inline NamedDeviceTensors on_device(Device& device, const RefNamed& named) {
  NamedDeviceTensors result;
  for (const auto& [name, values] : named) result.set(name, device::upload(device, values));
  return result;
}

inline EncoderConfig small_config() {
  return {.vocab_size = 11,
          .d_model = 8,
          .num_heads = 2,
          .d_ff = 12,
          .num_layers = 2,
          .num_classes = 3,
          .dropout = 0.2};
}

}  // namespace normproof::gpu::encoder
