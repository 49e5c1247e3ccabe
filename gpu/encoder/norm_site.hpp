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

/// Options of a training step or an evaluation.
struct EncoderRun {
  ref::model::Mode mode =
      ref::model::Mode::training;  ///< inference: no dropout, running statistics
  std::uint64_t seed = 0;          ///< seed of the dropouts
  std::uint64_t step = 0;          ///< step number of the dropouts
  /// If given, the elements that each dropout keeps, by the dropout's name, such as
  /// "layers.0.attention.y". They replace those that seed and step determine.
  const std::map<std::string, DeviceTensor<bool>>* masks = nullptr;
  const ops::Products* products = &ops::ordered_products();
  /// If given, receives the outputs of each norm other than y and the gradients, under the norm's
  /// name, such as "layers.0.norm1.mean".
  NamedDeviceTensors* statistics = nullptr;
};

/// A norm at a named place of a model, such as "layers.0.norm1".
class NormSite {
 public:
  /// Keeps a reference to `norm`, which must outlive the site.
  NormSite(const ref::model::NormOptions& norm, const NamedDeviceTensors& parameters,
           std::string place);

  /// Updates the entries of `state` that belong to this place.
  DeviceTensor<double> forward(const DeviceTensor<double>& x, const DeviceMask& valid,
                               const EncoderRun& run, NamedDeviceTensors& state);
  /// Returns the gradient of x. Stores the gradients of gamma and beta, if there are such
  /// parameters, in `gradients`.
  DeviceTensor<double> backward(const DeviceTensor<double>& grad_y, NamedDeviceTensors& state,
                                NamedDeviceTensors& gradients);

 private:
  void report_statistics(const norm::NormStep& step) const;

  const ref::model::NormOptions& norm_;
  std::string place_;
  norm::NormInputs inputs_;
  norm::NormStep forward_;
  NamedDeviceTensors* statistics_ = nullptr;
};

}  // namespace normproof::gpu::encoder
