#pragma once

#include <string>

#include "gpu/encoder/sublayers.hpp"
#include "gpu/nn/cross_attention.hpp"

namespace normproof::gpu::decoder {

using device::DeviceMask;
using device::DeviceTensor;
using device::NamedDeviceTensors;
using encoder::EncoderConfig;
using encoder::ModelRunSettings;

/// The output of the encoder. Every layer of the decoder attends to it.
struct Memory {
  DeviceTensor<double> values;  ///< [B,S,D]
  DeviceMask valid = {};        ///< [B,S], true = a real token of the source; {} = all
};

/// The cross-attention of a decoder layer: dropout(cross_attention(x, memory)). The object keeps
/// what the backward needs from the forward.
class CrossAttentionSublayer {
 public:
  CrossAttentionSublayer(const EncoderConfig& config, const NamedDeviceTensors& parameters,
                         const std::string& place);

  DeviceTensor<double> forward(const DeviceTensor<double>& x, const Memory& memory,
                               const ModelRunSettings& run);
  /// Returns the gradient of x. Adds the gradient of the memory to grad_memory. If grad_memory is
  /// {} (no tensor), it becomes the gradient of the memory.
  DeviceTensor<double> backward(const DeviceTensor<double>& grad_y, const Memory& memory,
                                const ModelRunSettings& run, NamedDeviceTensors& gradients,
                                DeviceTensor<double>& grad_memory);
  /// Returns the attention weights [B,H,T,S] of the last forward.
  const DeviceTensor<double>& weights() const { return attended_.weights; }

 private:
  nn::AttentionOptions options(const ModelRunSettings& run) const;

  const EncoderConfig& config_;
  encoder::SublayerDropouts dropouts_;
  nn::CrossAttention parameters_;
  DeviceTensor<double> in_;
  nn::CrossAttentionForward attended_;
};

/// Device version with the same formulas and preconditions as ref/decoder/decoder_layer.hpp. With
/// ordered_products it also gives the same bits. Parameters, gradients and state have names such as
/// "decoder.layers.0.cross_attention.query.weight".
/// Throws    ContractError
class DecoderLayer {
 public:
  /// Keeps a reference to `config`, which must outlive the layer. `config` is the result of
  /// target_side.
  DecoderLayer(const EncoderConfig& config, const NamedDeviceTensors& parameters,
               const std::string& place);

  DeviceTensor<double> forward(const DeviceTensor<double>& x, const DeviceMask& valid,
                               const Memory& memory, const ModelRunSettings& run,
                               NamedDeviceTensors& state);
  /// Returns the gradient of x. Adds the gradient of the memory to grad_memory. If grad_memory is
  /// {} (no tensor), it becomes the gradient of the memory.
  DeviceTensor<double> backward(const DeviceTensor<double>& grad_y, const Memory& memory,
                                const ModelRunSettings& run, NamedDeviceTensors& state,
                                NamedDeviceTensors& gradients, DeviceTensor<double>& grad_memory);
  /// Return the attention weights of the last forward: [B,H,T,T] for self-attention, [B,H,T,S] for
  /// cross-attention.
  const DeviceTensor<double>& self_attention_weights() const { return self_attention_.weights(); }
  const DeviceTensor<double>& cross_attention_weights() const { return cross_attention_.weights(); }

 private:
  const EncoderConfig& config_;
  encoder::AttentionSublayer self_attention_;
  CrossAttentionSublayer cross_attention_;
  encoder::FeedForwardSublayer feed_forward_;
  encoder::NamedNorm norm1_, norm2_, norm3_;
};

}  // namespace normproof::gpu::decoder
