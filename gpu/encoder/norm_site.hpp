#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "gpu/norm/norm.hpp"
#include "gpu/ops/products.hpp"

namespace normproof::gpu::encoder {

using device::DeviceMask;
using device::DeviceTensor;
using device::NamedDeviceTensors;

/// What a step of training or an evaluation is run with.
struct EncoderRun {
  ref::model::Mode mode =
      ref::model::Mode::training;  ///< inference: no dropout, running statistics
  std::uint64_t seed = 0;          ///< of the dropouts
  std::uint64_t step = 0;          ///< of the dropouts
  /// What each dropout keeps, by its place, instead of what seed and step draw:
  /// "layers.0.attention.y".
  const std::map<std::string, DeviceTensor<bool>>* masks = nullptr;
  const ops::Products* products = &ops::ordered_products();
  /// Gets, where it is given, what each norm leaves beside y and its gradients, under the norm's
  /// place: "layers.0.norm1.mean".
  NamedDeviceTensors* statistics = nullptr;
};

/// A norm in its place: "layers.0.norm1".
class NormSite {
 public:
  /// `norm` has to stay.
  NormSite(const ref::model::NormOptions& norm, const NamedDeviceTensors& parameters,
           std::string place);

  /// Moves the entries of `state` that belong to the place.
  DeviceTensor<double> forward(const DeviceTensor<double>& x, const DeviceMask& valid,
                               const EncoderRun& run, NamedDeviceTensors& state);
  /// The gradient by x; those by gamma and beta, where they exist, go to `gradients`.
  DeviceTensor<double> backward(const DeviceTensor<double>& grad_y, NamedDeviceTensors& state,
                                NamedDeviceTensors& gradients);

 private:
  void show(const norm::NormStep& step) const;

  const ref::model::NormOptions& norm_;
  std::string place_;
  norm::NormInputs inputs_;
  norm::NormStep forward_;
  NamedDeviceTensors* statistics_ = nullptr;
};

}  // namespace normproof::gpu::encoder
