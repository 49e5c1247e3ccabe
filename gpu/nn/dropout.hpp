#pragma once

#include <cstdint>
#include <string>

#include "gpu/device/tensor.hpp"

namespace normproof::gpu::nn {

using device::Device;
using device::DeviceTensor;
using device::Shape;

/// Identifies one dropout of a training step. Seed, step, the name of the place (layer and tensor)
/// and the index of an element determine whether the element is kept.
struct DropoutKey {
  std::uint64_t seed = 0;
  std::uint64_t step = 0;
  std::string place;              ///< "layers.0.attention_weights"
  DeviceTensor<bool> given = {};  ///< if given, the elements to keep; nothing is drawn then
};

/// Device version with the same random numbers, preconditions and error messages as
/// ref/nn/dropout.hpp. A user-supplied mask, key.given, must have the given shape.
/// Throws    ContractError
DeviceTensor<bool> dropout_mask(Device& device, const Shape& shape, double rate,
                                const DropoutKey& key);

/// Applies a dropout mask.
/// Computes  y_i = x_i / (1 - rate) if element i is kept, else +0
DeviceTensor<double> dropout(const DeviceTensor<double>& x, const DeviceTensor<bool>& keep,
                             double rate);

}  // namespace normproof::gpu::nn
