#pragma once

#include <vector>

#include "gpu/decoder/decoder_layer.hpp"
#include "gpu/encoder/encoder.hpp"
#include "ref/model/decoder_config.hpp"

namespace normproof::gpu::decoder {

using ref::model::DecoderConfig;
using ref::model::source_side;
using ref::model::target_side;

/// A batch of source sentences and a batch of target sentences: the token ids of each, and a mask
/// that marks the real tokens (not padding). The target tokens are the decoder's input: each
/// sentence starts with its beginning-of-sentence token.
struct DecoderInputs {
  encoder::EncoderInputs source;  ///< [B,S]
  encoder::EncoderInputs target;  ///< [B,T]
};

struct DecoderGradients {
  /// The gradients that are stored in full, with the shape of their parameter. They are in the
  /// order of the parameters. The gradient of the target embedding is included only if the head is
  /// tied to the target embedding.
  NamedDeviceTensors dense;
  nn::RowGradient source_embedding;
  nn::RowGradient target_embedding;  ///< has no rows if the head is tied
};

/// A Transformer for translation. Device version with the same formulas and preconditions as
/// ref/decoder/decoder.hpp. With ordered_products it also gives the same bits. The parameter names
/// are those of ref/decoder/parameters.hpp.
/// Throws    ContractError
class Decoder {
 public:
  Decoder(const DecoderConfig& config, const NamedDeviceTensors& parameters);
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  /// Returns the logits [B,T,V]. In training it also updates `state`.
  DeviceTensor<double> forward(const DecoderInputs& inputs, const ModelRunSettings& run,
                               NamedDeviceTensors& state);
  /// Returns the gradients of the parameters.
  /// Requires  (C4) forward has run before, and grad_logits has the shape of its logits
  DecoderGradients backward(const DeviceTensor<double>& grad_logits, NamedDeviceTensors& state);

  /// Runs the forward up to the input of the head. Returns that input, [B,T,D].
  DeviceTensor<double> hidden(const DecoderInputs& inputs, const ModelRunSettings& run,
                              NamedDeviceTensors& state);
  /// Runs the backward from the head's input to the parameters. `grad_hidden` is the gradient of
  /// the head's input, and `head` holds the gradients of the head's parameters. The result includes
  /// the gradients in `head`.
  DecoderGradients hidden_backward(DeviceTensor<double> grad_hidden, nn::Linear&& head,
                                   NamedDeviceTensors& state);
  /// Returns the head's parameters. If the head is tied, its weight is the target embedding.
  nn::Linear head() const;

 private:
  DeviceTensor<double> embed(const nn::Tokens& tokens, const char* weight) const;
  Memory encode(const encoder::EncoderInputs& source, const ModelRunSettings& run,
                NamedDeviceTensors& state);
  DeviceTensor<double> encode_backward(DeviceTensor<double> grad, NamedDeviceTensors& state,
                                       NamedDeviceTensors& found);
  bool is_pre_norm() const { return config_.placement == ref::model::NormPlacement::pre; }

  const DecoderConfig config_;
  NamedDeviceTensors parameters_;
  const EncoderConfig source_config_, target_config_;
  std::vector<encoder::EncoderLayer> encoder_layers_;
  std::vector<DecoderLayer> layers_;
  encoder::NamedNorm encoder_final_norm_, final_norm_;
  ModelRunSettings run_;
  nn::Tokens source_, target_;
  Memory memory_;
  DeviceTensor<double> head_in_;
};

}  // namespace normproof::gpu::decoder
