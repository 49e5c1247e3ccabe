#pragma once

#include <vector>

#include "ref/decoder/decoder_layer.hpp"
#include "ref/encoder/encoder.hpp"

namespace normproof::ref::decoder {

/// Token ids of both sides, and which of them are real. The target is the input of the decoder: a
/// sentence after its begin-of-sentence mark.
struct DecoderInputs {
  encoder::EncoderInputs source;  ///< [B,S]
  encoder::EncoderInputs target;  ///< [B,T]
};

/// The gradients of a step: dense ones by name, and the touched rows of the embeddings.
template <class T>
struct DecoderGradients {
  /// Without the embedding of the source, and without that of the target unless the head is tied.
  DecoderParameters<T> parameters;
  nn::RowGradient<T> source_embedding;
  nn::RowGradient<T> target_embedding;  ///< without rows if the head is tied
};

/// Adds the gradients of the head to those of the rest of the model. If the head is tied, its
/// weight is the target's embedding; then the sums over the tokens are added to its gradient, with
/// one rounding per element.
template <numeric::Real T>
void add_head_gradients(const DecoderConfig& config, nn::Linear<T> head,
                        DecoderGradients<T>& gradients);

/// A Transformer for translation. It keeps what its backward needs after a forward.
/// Source    [VSP+17]; docs/specification/decoder.md
/// Computes  m = embedding_source(source) (+ positions) ; m = encoder layer_l(m) ;
///           pre: m = final_norm(m), which is the memory ;
///           x = embedding_target(target) (+ positions) ; x = decoder layer_l(x, m) ;
///           pre: x = final_norm(x) ;
///           logits = head(x). A tied head has the weight of the target's embedding
/// Shapes    source [B,S], target [B,T]; logits [B,T,V]
/// Requires  those of check_decoder and of the decoder's parts; (C1) the target has as many
///           sentences as the source  (C2) source.valid is [B,S] or empty
///           (C3) target.valid is [B,T] or empty
/// Order     docs/specification/determinism.md; the gradient of the memory is added up from the
///           last layer to the first. In inference a position has the same logits, bit for bit, in
///           the target that ends with it, in any batch, and with any padding at the ends of source
///           and target
/// Throws    ContractError
template <numeric::Real T>
class Decoder {
 public:
  /// `config` and `parameters` must outlive the decoder.
  Decoder(const DecoderConfig& config, const DecoderParameters<T>& parameters,
          const Tap<T>& tap = {});
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  /// Returns the logits. `state` comes from initial_norm_state; training updates it.
  Tensor<T> forward(const DecoderInputs& inputs, const EncoderRun& run, NamedTensors<T>& state);

  /// Returns the gradients of the parameters.
  /// Requires  (C4) a forward was run before, and grad_logits has the shape of its logits
  DecoderGradients<T> backward(const Tensor<T>& grad_logits, NamedTensors<T>& state);

  /// Returns the input of the head, [B,T,D]; this is the forward without the head.
  Tensor<T> hidden(const DecoderInputs& inputs, const EncoderRun& run, NamedTensors<T>& state);
  /// Returns the gradients without those of the head, given the gradient of the head's input.
  /// add_head_gradients adds the others.
  DecoderGradients<T> hidden_backward(Tensor<T> grad_hidden, NamedTensors<T>& state);

  /// Returns the memory of a source.
  Memory<T> encode(const encoder::EncoderInputs& source, const EncoderRun& run,
                   NamedTensors<T>& state);

 private:
  Tensor<T> embed(const nn::Tokens& tokens, const Tensor<T>& weight) const;
  const Tensor<T>& head_weight() const;
  Tensor<T> encode_backward(Tensor<T> grad_memory, NamedTensors<T>& state,
                            encoder::EncoderParameters<T>& gradients);

  const DecoderConfig& config_;
  const DecoderParameters<T>& parameters_;
  Tap<T> tap_;
  const encoder::EncoderConfig source_config_, target_config_;
  std::vector<encoder::EncoderLayer<T>> encoder_layers_;
  std::vector<DecoderLayer<T>> layers_;
  EncoderRun run_;
  nn::Tokens source_, target_;
  Memory<T> memory_;
  encoder::NormSite<T> encoder_final_norm_, final_norm_;
  Tensor<T> head_in_;
};

}  // namespace normproof::ref::decoder
