#pragma once

#include "gpu/encoder/sublayers.hpp"

namespace normproof::gpu::encoder {

/// ref/encoder/encoder_layer.hpp on a device: formulas, requirements, and with ordered_products
/// bits. Parameters, gradients and state by name, "layers.0.attention.in.weight". All that the
/// backward needs is kept.
/// Throws    ContractError
class EncoderLayer {
 public:
  /// `config` has to stay.
  EncoderLayer(const EncoderConfig& config, const NamedDeviceTensors& parameters,
               const std::string& place);

  DeviceTensor<double> forward(const DeviceTensor<double>& x, const DeviceMask& valid,
                               const EncoderRun& run, NamedDeviceTensors& state);
  DeviceTensor<double> backward(const DeviceTensor<double>& grad_y, const EncoderRun& run,
                                NamedDeviceTensors& state, NamedDeviceTensors& gradients);
  /// The attention weights of the last forward, [B,H,T,T].
  const DeviceTensor<double>& attention_weights() const { return attention_.weights(); }

 private:
  const EncoderConfig& config_;
  AttentionSite attention_;
  FeedForwardSite feed_forward_;
  NormSite norm1_, norm2_;
};

}  // namespace normproof::gpu::encoder
