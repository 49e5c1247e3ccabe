#pragma once

#include "gpu/device/mask.hpp"
#include "ref/model/norm_options.hpp"

namespace normproof::gpu::norm {

using device::Device;
using device::DeviceMask;
using device::DeviceTensor;
using device::NamedDeviceTensors;
using device::Shape;

/// One step of any layer: what goes in. As ref/norm/norm.hpp has it, in a device's memory.
struct NormInputs {
  DeviceTensor<double> x;            ///< [N,D] or [B,T,D]
  DeviceTensor<double> gamma = {};   ///< [D] ([1] for scale_norm), or {}: ones
  DeviceTensor<double> beta = {};    ///< [D], or {}: zeros
  DeviceTensor<double> grad_y = {};  ///< the shape of x; of a backward
  DeviceMask valid = {};             ///< [N] or [B,T], or {}: all
  ref::model::Mode mode = ref::model::Mode::training;
};

/// One step of any layer: what comes out, under the names of ref/norm/norm.hpp.
struct NormStep {
  NamedDeviceTensors outputs;
  NamedDeviceTensors state;
};

}  // namespace normproof::gpu::norm
