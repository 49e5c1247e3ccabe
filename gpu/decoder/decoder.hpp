#pragma once

#include <vector>

#include "gpu/decoder/decoder_layer.hpp"
#include "gpu/encoder/encoder.hpp"
#include "ref/model/decoder_config.hpp"

namespace normproof::gpu::decoder {

using ref::model::DecoderConfig;
using ref::model::source_side;
using ref::model::target_side;

/// Token ids of both sides, and which of them are real. The target's are what the decoder takes: a
/// sentence behind its mark of beginning.
struct DecoderInputs {
  encoder::EncoderInputs source;  ///< [B,S]
  encoder::EncoderInputs target;  ///< [B,T]
};

struct DecoderGradients {
  NamedDeviceTensors dense;  ///< in the order of the parameters, with the target's embedding where
                             ///< the head is tied
  nn::RowGradient source_embedding;
  nn::RowGradient target_embedding;  ///< without rows where the head is tied
};

/// ref/decoder/decoder.hpp on a device, a Transformer that translates: formulas, requirements, and
/// with ordered_products bits. Parameters by the names of ref/decoder/parameters.hpp.
/// Throws    ContractError
class Decoder {
 public:
  /// `config` has to stay.
  Decoder(const DecoderConfig& config, const NamedDeviceTensors& parameters);
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  /// The logits, [B,T,V]; `state` moves in training.
  DeviceTensor<double> forward(const DecoderInputs& inputs, const EncoderRun& run,
                               NamedDeviceTensors& state);
  /// Requires  (C4) a forward before it, and grad_logits with the shape of its logits
  DecoderGradients backward(const DeviceTensor<double>& grad_logits, NamedDeviceTensors& state);

  /// What the head takes, [B,T,D]: forward without the head.
  DeviceTensor<double> hidden(const DecoderInputs& inputs, const EncoderRun& run,
                              NamedDeviceTensors& state);
  /// The gradients with the head's, which are given, from that by what it takes.
  DecoderGradients hidden_backward(DeviceTensor<double> grad_hidden, nn::Linear&& head,
                                   NamedDeviceTensors& state);
  /// Of a tied head the weight is that of the target's embedding.
  nn::Linear head() const;

 private:
  DeviceTensor<double> embed(const nn::Tokens& tokens, const char* weight) const;
  Memory encode(const encoder::EncoderInputs& source, const EncoderRun& run,
                NamedDeviceTensors& state);
  DeviceTensor<double> encode_backward(DeviceTensor<double> grad, NamedDeviceTensors& state,
                                       NamedDeviceTensors& found);
  bool is_pre() const { return config_.placement == ref::model::NormPlacement::pre; }

  const DecoderConfig& config_;
  NamedDeviceTensors parameters_;
  const EncoderConfig source_config_, target_config_;
  std::vector<encoder::EncoderLayer> encoder_layers_;
  std::vector<DecoderLayer> layers_;
  encoder::NormSite encoder_final_norm_, final_norm_;
  EncoderRun run_;
  nn::Tokens source_, target_;
  Memory memory_;
  DeviceTensor<double> head_in_;
};

}  // namespace normproof::gpu::decoder
