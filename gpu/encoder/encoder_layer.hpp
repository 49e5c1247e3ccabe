#pragma once

#include <map>
#include <string>

#include "gpu/nn/feed_forward.hpp"
#include "gpu/nn/multi_head_attention.hpp"
#include "gpu/norm/norm.hpp"

namespace normproof::gpu::encoder {

using device::Device;
using device::DeviceMask;
using device::DeviceTensor;
using device::NamedDeviceTensors;
using nn::Products;
using ref::model::EncoderConfig;

/// What a step of training or an evaluation is run with.
struct EncoderRun {
  ref::model::Mode mode =
      ref::model::Mode::training;  ///< inference: no dropout, running statistics
  std::uint64_t seed = 0;          ///< of the dropouts
  std::uint64_t step = 0;          ///< of the dropouts
  /// What each dropout keeps, by its place, instead of what seed and step draw:
  /// "layers.0.attention.y".
  const std::map<std::string, DeviceTensor<bool>>* masks = nullptr;
  const Products* products = &ops::ordered_products();
};

/// A norm in its place, between forward and backward: "layers.0.norm1".
class NormSite {
 public:
  NormSite(const EncoderConfig& config, const NamedDeviceTensors& parameters, std::string place);

  /// Moves the entries of `state` that belong to the place.
  DeviceTensor<double> forward(const DeviceTensor<double>& x, const DeviceMask& valid,
                               ref::model::Mode mode, NamedDeviceTensors& state);
  /// The gradient by x; those by gamma and beta, where they exist, go to `gradients`.
  DeviceTensor<double> backward(const DeviceTensor<double>& grad_y, NamedDeviceTensors& state,
                                NamedDeviceTensors& gradients);
  const DeviceTensor<double>& x() const { return inputs_.x; }

 private:
  const EncoderConfig& config_;
  std::string place_;
  norm::NormInputs inputs_;
  norm::NormStep forward_;
};

/// ref/encoder/encoder_layer.hpp on a device: formulas, requirements, and with ordered_products
/// bits. Parameters, gradients and state by name, "layers.0.attention.in.weight". All that the
/// backward needs is kept.
/// Throws    ContractError
class EncoderLayer {
 public:
  EncoderLayer(const EncoderConfig& config, const NamedDeviceTensors& parameters,
               const std::string& place);

  DeviceTensor<double> forward(const DeviceTensor<double>& x, const DeviceMask& valid,
                               const EncoderRun& run, NamedDeviceTensors& state);
  DeviceTensor<double> backward(const DeviceTensor<double>& grad_y, const EncoderRun& run,
                                NamedDeviceTensors& state, NamedDeviceTensors& gradients);
  /// The attention weights of the last forward, [B,H,T,T].
  const DeviceTensor<double>& attention_weights() const { return attended_.weights; }

 private:
  /// A sublayer with its dropout.
  DeviceTensor<double> attend(const DeviceTensor<double>& x, const EncoderRun& run);
  DeviceTensor<double> attend_backward(const DeviceTensor<double>& grad_y, const EncoderRun& run,
                                       NamedDeviceTensors& gradients);
  DeviceTensor<double> feed(const DeviceTensor<double>& x, const EncoderRun& run);
  DeviceTensor<double> feed_backward(const DeviceTensor<double>& grad_y, const EncoderRun& run,
                                     NamedDeviceTensors& gradients);
  DeviceTensor<double> drop(const DeviceTensor<double>& y, const char* name, const EncoderRun& run,
                            DeviceTensor<bool>& keep) const;
  double rate(const EncoderRun& run) const;
  nn::DropoutKey key(const EncoderRun& run, const char* name) const;
  nn::AttentionOptions attention_options(const EncoderRun& run) const;
  nn::FeedForwardOptions feed_forward_options(const EncoderRun& run) const;

  const EncoderConfig& config_;
  std::string place_;
  nn::Attention attention_;
  nn::FeedForward feed_forward_;
  NormSite norm1_, norm2_;
  DeviceMask valid_;
  DeviceTensor<double> attention_in_, feed_forward_in_;
  nn::AttentionForward attended_;
  nn::FeedForwardForward fed_;
  DeviceTensor<bool> keep1_, keep2_;
};

}  // namespace normproof::gpu::encoder
