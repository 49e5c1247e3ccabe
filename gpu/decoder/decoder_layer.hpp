#pragma once

#include <string>

#include "gpu/encoder/sublayers.hpp"
#include "gpu/nn/cross_attention.hpp"

namespace normproof::gpu::decoder {

using device::DeviceMask;
using device::DeviceTensor;
using device::NamedDeviceTensors;
using encoder::EncoderConfig;
using encoder::EncoderRun;

/// What the encoder gives to each layer of the decoder.
struct Memory {
  DeviceTensor<double> values;  ///< [B,S,D]
  DeviceMask valid = {};        ///< [B,S], true = a real token of the source, or {}: all
};

/// dropout(cross_attention(x, memory)) of a layer, between forward and backward.
class CrossAttentionSite {
 public:
  CrossAttentionSite(const EncoderConfig& config, const NamedDeviceTensors& parameters,
                     const std::string& place);

  DeviceTensor<double> forward(const DeviceTensor<double>& x, const Memory& memory,
                               const EncoderRun& run);
  /// The gradient by the memory is added to grad_memory, or is it where that is {}.
  DeviceTensor<double> backward(const DeviceTensor<double>& grad_y, const Memory& memory,
                                const EncoderRun& run, NamedDeviceTensors& gradients,
                                DeviceTensor<double>& grad_memory);
  /// Of the last forward, [B,H,T,S].
  const DeviceTensor<double>& weights() const { return attended_.weights; }

 private:
  nn::AttentionOptions options(const EncoderRun& run) const;

  const EncoderConfig& config_;
  encoder::PartDropouts dropouts_;
  nn::CrossAttention parameters_;
  DeviceTensor<double> in_;
  nn::CrossAttentionForward attended_;
};

/// ref/decoder/decoder_layer.hpp on a device: formulas, requirements, and with ordered_products
/// bits. Parameters, gradients and state by name,
/// "decoder.layers.0.cross_attention.query.weight".
/// Throws    ContractError
class DecoderLayer {
 public:
  /// `config`, that of target_side, has to stay.
  DecoderLayer(const EncoderConfig& config, const NamedDeviceTensors& parameters,
               const std::string& place);

  DeviceTensor<double> forward(const DeviceTensor<double>& x, const DeviceMask& valid,
                               const Memory& memory, const EncoderRun& run,
                               NamedDeviceTensors& state);
  /// The gradient by x; the one by the memory is added to grad_memory, or is it where that is {}.
  DeviceTensor<double> backward(const DeviceTensor<double>& grad_y, const Memory& memory,
                                const EncoderRun& run, NamedDeviceTensors& state,
                                NamedDeviceTensors& gradients, DeviceTensor<double>& grad_memory);
  /// Of the last forward, [B,H,T,T] and [B,H,T,S].
  const DeviceTensor<double>& self_attention_weights() const { return self_attention_.weights(); }
  const DeviceTensor<double>& cross_attention_weights() const { return cross_attention_.weights(); }

 private:
  const EncoderConfig& config_;
  encoder::AttentionSite self_attention_;
  CrossAttentionSite cross_attention_;
  encoder::FeedForwardSite feed_forward_;
  encoder::NormSite norm1_, norm2_, norm3_;
};

}  // namespace normproof::gpu::decoder
