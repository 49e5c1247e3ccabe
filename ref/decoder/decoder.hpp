#pragma once

#include <vector>

#include "ref/decoder/decoder_layer.hpp"
#include "ref/encoder/encoder.hpp"

namespace normproof::ref::decoder {

/// The token ids of the source and of the target, and masks that tell real tokens from padding. The
/// target is the input of the decoder; each of its sentences starts with a begin-of-sentence mark.
struct DecoderInputs {
  encoder::EncoderInputs source;  ///< [B,S]
  encoder::EncoderInputs target;  ///< [B,T]
};

/// The gradients of the parameters of a translation model in one step of training. The gradients of
/// the embeddings have only the rows of the tokens that occur in the batch.
template <class T>
struct DecoderGradients {
  /// The gradients of all parameters except the embeddings. But if the head is tied, they include
  /// the whole gradient of the target's embedding.
  DecoderParameters<T> parameters;
  nn::RowGradient<T> source_embedding;
  nn::RowGradient<T> target_embedding;  ///< has no rows if the head is tied
};

/// Adds the gradients of the head to the gradients of the rest of the model. If the head is tied,
/// its weight is the target's embedding. Then the gradient of the embedding becomes the sum of two
/// gradients: from its use in the head and from its use as the first layer of the decoder. Each
/// element of this sum is rounded once.
template <numeric::Real T>
void add_head_gradients(const DecoderConfig& config, nn::Linear<T> head,
                        DecoderGradients<T>& gradients);

/// A Transformer for translation. After a forward, the object holds what its backward needs.
/// Source    [VSP+17]; docs/specification/decoder.md
/// Computes  m = embedding_source(source) (+ positions) ; m = encoder layer_l(m) ;
///           if the placement is pre: m = final_norm(m). The result m is the memory ;
///           x = embedding_target(target) (+ positions) ; x = decoder layer_l(x, m) ;
///           if the placement is pre: x = final_norm(x) ;
///           logits = head(x). A tied head has the weight of the target's embedding
/// Shapes    source [B,S], target [B,T]; logits [B,T,V]
/// Requires  the requirements of check_decoder and of the decoder's parts; (C1) the target has as
///           many sentences as the source  (C2) source.valid is [B,S] or empty
///           (C3) target.valid is [B,T] or empty
/// Order     docs/specification/determinism.md; the gradient of the memory is summed from the last
///           layer to the first. In inference the bits of the logits of a position do not depend on
///           the other sentences of the batch, on later tokens of the target, or on padding at the
///           ends of source and target
/// Throws    ContractError
template <numeric::Real T>
class Decoder {
 public:
  /// Copies `config`. `parameters` must outlive the decoder.
  Decoder(const DecoderConfig& config, const DecoderParameters<T>& parameters,
          const TensorTap<T>& tap = {});
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  /// Returns the logits. `state` comes from initial_norm_state; training updates it.
  Tensor<T> forward(const DecoderInputs& inputs, const ModelRunSettings& run,
                    NamedTensors<T>& state);

  /// Returns the gradients of all parameters.
  /// Requires  (C4) a forward was run before, and grad_logits has the shape of its logits
  DecoderGradients<T> backward(const Tensor<T>& grad_logits, NamedTensors<T>& state);

  /// Runs the forward without the head. Returns the input of the head, [B,T,D].
  Tensor<T> hidden(const DecoderInputs& inputs, const ModelRunSettings& run,
                   NamedTensors<T>& state);
  /// Runs the backward without the head, given the gradient of the head's input. Returns the
  /// gradients of all parameters except those of the head, which add_head_gradients adds.
  DecoderGradients<T> hidden_backward(Tensor<T> grad_hidden, NamedTensors<T>& state);

  /// Runs the encoder on the source. Returns the memory, which is the encoder's output.
  Memory<T> encode(const encoder::EncoderInputs& source, const ModelRunSettings& run,
                   NamedTensors<T>& state);

 private:
  Tensor<T> embed(const nn::Tokens& tokens, const Tensor<T>& weight) const;
  const Tensor<T>& head_weight() const;
  Tensor<T> encode_backward(Tensor<T> grad_memory, NamedTensors<T>& state,
                            encoder::EncoderParameters<T>& gradients);

  const DecoderConfig config_;
  const DecoderParameters<T>& parameters_;
  TensorTap<T> tap_;
  const encoder::EncoderConfig source_config_, target_config_;
  std::vector<encoder::EncoderLayer<T>> encoder_layers_;
  std::vector<DecoderLayer<T>> layers_;
  ModelRunSettings run_;
  nn::Tokens source_, target_;
  Memory<T> memory_;
  encoder::NamedNorm<T> encoder_final_norm_, final_norm_;
  Tensor<T> head_in_;
};

}  // namespace normproof::ref::decoder
