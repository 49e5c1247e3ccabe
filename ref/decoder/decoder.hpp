#pragma once

#include <vector>

#include "ref/decoder/decoder_layer.hpp"
#include "ref/encoder/encoder.hpp"

namespace normproof::ref::decoder {

/// Token ids of both sides, and which of them are real. The target's are what the decoder takes: a
/// sentence behind its mark of beginning.
struct DecoderInputs {
  encoder::EncoderInputs source;  ///< [B,S]
  encoder::EncoderInputs target;  ///< [B,T]
};

/// The gradients of a step: dense ones under their names, and the touched rows of the embeddings.
template <class T>
struct DecoderGradients {
  DecoderParameters<T> parameters;  ///< without the source's embedding, and without the
                                    ///< target's where the head is not tied
  nn::RowGradient<T> source_embedding;
  nn::RowGradient<T> target_embedding;  ///< without rows where the head is tied
};

/// Adds the gradients of a head to those of what is before it. Of a tied one the weight is the
/// target embedding's: to its gradient the sums over the tokens are added, one rounding an element.
template <numeric::Real T>
void add_head_gradients(const DecoderConfig& config, nn::Linear<T> head,
                        DecoderGradients<T>& gradients);

/// A Transformer that translates, between a forward and its backward.
/// Source    [VSP+17]; docs/specification/decoder.md
/// Computes  m = embedding_source(source) (+ positions) ; m = encoder layer_l(m) ; pre:
///           m = final_norm(m), which is the memory ; x = embedding_target(target) (+ positions) ;
///           x = decoder layer_l(x, m) ; pre: x = final_norm(x) ; logits = head(x). A tied head has
///           the weight of the target's embedding
/// Shapes    source [B,S], target [B,T]; logits [B,T,V]
/// Requires  those of check_decoder and of its parts; (C1) the target has the source's sentences
///           (C2) source.valid is [B,S] or empty  (C3) target.valid is [B,T] or empty
/// Order     docs/specification/determinism.md; the gradient by the memory is added up from the last layer to the
///           first. In inference a position has the logits, bit for bit, of the target that ends
///           with it, in any batch and beside any padding at the ends of source and target
/// Throws    ContractError
template <numeric::Real T>
class Decoder {
 public:
  /// `config` and `parameters` have to stay.
  Decoder(const DecoderConfig& config, const DecoderParameters<T>& parameters,
          const Tap<T>& tap = {});
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  /// `state` as initial_norm_state has it; it moves in training.
  Tensor<T> forward(const DecoderInputs& inputs, const EncoderRun& run, NamedTensors<T>& state);

  /// Requires  (C4) a forward before it, and grad_logits with the shape of its logits
  DecoderGradients<T> backward(const Tensor<T>& grad_logits, NamedTensors<T>& state);

  /// What the head takes, [B,T,D]: forward without the head.
  Tensor<T> hidden(const DecoderInputs& inputs, const EncoderRun& run, NamedTensors<T>& state);
  /// The gradients without the head's, from that by what it takes; add_head_gradients adds them.
  DecoderGradients<T> hidden_backward(Tensor<T> grad_hidden, NamedTensors<T>& state);

  /// The memory of a source.
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
