#pragma once

#include "gpu/encoder/sublayers.hpp"

namespace normproof::gpu::encoder {

/// Device version with the same formulas and preconditions as ref/encoder/encoder_layer.hpp. With
/// ordered_products it also gives the same bits. Parameters, gradients and state have names such as
/// "layers.0.attention.in.weight". A layer keeps everything that its backward needs.
/// Throws    ContractError
class EncoderLayer {
 public:
  /// Keeps a reference to `config`, which must outlive the layer.
  EncoderLayer(const EncoderConfig& config, const NamedDeviceTensors& parameters,
               const std::string& place);

  DeviceTensor<double> forward(const DeviceTensor<double>& x, const DeviceMask& valid,
                               const ModelRunSettings& run, NamedDeviceTensors& state);
  DeviceTensor<double> backward(const DeviceTensor<double>& grad_y, const ModelRunSettings& run,
                                NamedDeviceTensors& state, NamedDeviceTensors& gradients);
  /// Returns the attention weights [B,H,T,T] of the last forward.
  const DeviceTensor<double>& attention_weights() const { return attention_.weights(); }

 private:
  const EncoderConfig& config_;
  AttentionSublayer attention_;
  FeedForwardSublayer feed_forward_;
  NamedNorm norm1_, norm2_;
};

}  // namespace normproof::gpu::encoder
