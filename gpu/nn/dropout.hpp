#pragma once

#include <cstdint>
#include <string>

#include "gpu/device/tensor.hpp"

namespace normproof::gpu::nn {

using device::Device;
using device::DeviceTensor;
using device::Shape;

/// Which elements a dropout keeps: a function of seed, step, layer, tensor and element.
struct DropoutKey {
  std::uint64_t seed = 0;
  std::uint64_t step = 0;
  std::string place;              ///< "layers.0.attention_weights"
  DeviceTensor<bool> given = {};  ///< where it is there, these elements, and nothing is drawn
};

/// ref/nn/dropout.hpp on a device: the same counters, requirements and sentences. A given mask has
/// the shape asked for.
/// Throws    ContractError
DeviceTensor<bool> dropout_mask(Device& device, const Shape& shape, double rate,
                                const DropoutKey& key);

/// Computes  y_i = x_i / (1 - rate) where it is kept, else +0
DeviceTensor<double> dropout(const DeviceTensor<double>& x, const DeviceTensor<bool>& keep,
                             double rate);

}  // namespace normproof::gpu::nn
