#pragma once

#include "gpu/nn/linear.hpp"
#include "ref/nn/linear.hpp"
#include "tests/gpu/device/samples.hpp"

namespace normproof::gpu::nn {

inline ref::nn::Linear<double> sample_linear(std::size_t out, std::size_t in,
                                             const std::string& name) {
  return {random_normal_tensor({out, in}, name + ".weight"),
          random_normal_tensor({out}, name + ".bias")};
}

inline Linear on_device(Device& device, const ref::nn::Linear<double>& map) {
  return {device::upload(device, map.weight), device::upload(device, map.bias)};
}

}  // namespace normproof::gpu::nn
