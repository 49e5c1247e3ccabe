#pragma once

#include "gpu/device/mask.hpp"
#include "ref/model/norm_layers.hpp"

namespace normproof::gpu::norm {

using device::Device;
using device::DeviceMask;
using device::DeviceTensor;
using device::NamedDeviceTensors;
using device::Shape;

/// One step of any layer: what goes in. As ref/norm/norm.hpp has it, in a device's memory.
struct NormInputs {
  DeviceTensor<double> x;            ///< [N,D] or [B,T,D]
  DeviceTensor<double> gamma = {};   ///< as model::norm_layer has it, or {}: ones
  DeviceTensor<double> beta = {};    ///< as model::norm_layer has it, or {}: zeros
  DeviceTensor<double> grad_y = {};  ///< the shape of x; of a backward
  DeviceMask valid = {};             ///< [N] or [B,T], or {}: all
  ref::model::Mode mode = ref::model::Mode::training;
  NamedDeviceTensors others = {};  ///< parameters beside gamma and beta, by name
};

/// The parameter of that name; {} where it is left out.
inline DeviceTensor<double> get_parameter(const NormInputs& in, std::string_view name) {
  return name == "gamma" ? in.gamma : name == "beta" ? in.beta : in.others.get(name);
}

inline void set_parameter(NormInputs& in, std::string_view name, DeviceTensor<double> values) {
  if (name == "gamma")
    in.gamma = std::move(values);
  else if (name == "beta")
    in.beta = std::move(values);
  else
    in.others.set(name, std::move(values));
}

/// One step of any layer: what comes out, under the names of ref/norm/norm.hpp.
struct NormStep {
  NamedDeviceTensors outputs;
  NamedDeviceTensors state;
};

}  // namespace normproof::gpu::norm
