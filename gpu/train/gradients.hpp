#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gpu/nn/embedding.hpp"

namespace normproof::gpu::train {

using device::Device;
using device::DeviceTensor;
using device::NamedDeviceTensors;

/// The gradients of a model's parameters by name. Each parameter's gradient is either in `dense`
/// (full gradients) or in `rows` (stored by rows).
struct Gradients {
  NamedDeviceTensors dense;
  std::vector<std::pair<std::string, nn::RowGradient>> rows;
};

}  // namespace normproof::gpu::train
