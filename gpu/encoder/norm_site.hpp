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

/// The options of one forward of a model, in a training step or in an evaluation.
struct ModelRunSettings {
  ref::model::Mode mode =
      ref::model::Mode::training;  ///< inference: no dropout, running statistics
  std::uint64_t seed = 0;          ///< seed of the dropouts
  std::uint64_t step = 0;          ///< step number of the dropouts
  /// User-supplied dropout masks, or nullptr. The key is the name of a dropout, such as
  /// "layers.0.attention.y"; the mask is true for the elements to keep. If masks are given, no
  /// masks are drawn from the seed and the step.
  const std::map<std::string, DeviceTensor<bool>>* masks = nullptr;
  const ops::Products* products = &ops::ordered_products();
  /// If not nullptr, receives the statistics of each norm, that is, all of its outputs except y and
  /// the gradients. A statistic has a name such as "layers.0.norm1.mean".
  NamedDeviceTensors* statistics = nullptr;
};

/// A norm layer at a place in a model. The place has a name, such as "layers.0.norm1".
class NamedNorm {
 public:
  /// Keeps a reference to `norm`, which must outlive this object.
  NamedNorm(const ref::model::NormOptions& norm, const NamedDeviceTensors& parameters,
            std::string place);

  /// Returns the norm's output. Updates the entries of `state` that belong to this norm.
  DeviceTensor<double> forward(const DeviceTensor<double>& x, const DeviceMask& valid,
                               const ModelRunSettings& run, NamedDeviceTensors& state);
  /// Returns the gradient of x. If the norm has the parameters gamma and beta, stores their
  /// gradients in `gradients`.
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
