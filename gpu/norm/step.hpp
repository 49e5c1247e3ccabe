#pragma once

#include "gpu/device/mask.hpp"
#include "ref/model/norm_layers.hpp"

namespace normproof::gpu::norm {

using device::Device;
using device::DeviceMask;
using device::DeviceTensor;
using device::NamedDeviceTensors;
using device::Shape;

/// The inputs of a forward or backward of any norm layer, in device memory, as in
/// ref/norm/norm.hpp.
struct NormInputs {
  DeviceTensor<double> x;  ///< [N,D] or [B,T,D]
  /// The parameter gamma, with the shape that model::norm_layer states; {} means ones.
  DeviceTensor<double> gamma = {};
  /// The parameter beta, with the shape that model::norm_layer states; {} means zeros.
  DeviceTensor<double> beta = {};
  DeviceTensor<double> grad_y = {};  ///< with the shape of x; for a backward
  DeviceMask valid = {};             ///< [N] or [B,T], or {} if all rows are valid
  ref::model::Mode mode = ref::model::Mode::training;
  NamedDeviceTensors others = {};  ///< parameters other than gamma and beta, by name
};

/// Returns the parameter of that name; {} if it is not given.
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

/// The outputs and the new state of a forward or backward of any norm layer. The names are the same
/// as in ref/norm/norm.hpp.
struct NormStep {
  NamedDeviceTensors outputs;
  NamedDeviceTensors state;
};

}  // namespace normproof::gpu::norm
