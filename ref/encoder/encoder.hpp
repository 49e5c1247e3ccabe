#pragma once

#include <utility>
#include <vector>

#include "ref/encoder/encoder_layer.hpp"

namespace normproof::ref::encoder {

/// Token ids, and which of them are real.
struct EncoderInputs {
  nn::Tokens tokens;
  Mask valid = {};  ///< [B,T], true for a real token, or empty if all are
};

/// The gradients of a step: dense ones by name, and the touched rows of the embedding.
template <class T>
struct EncoderGradients {
  EncoderParameters<T> parameters;  ///< its embedding is empty unless the head is tied
  nn::RowGradient<T> embedding;     ///< without rows if the head is tied
};

/// Adds the gradients of the head to those of the rest of the encoder. If the head is tied, its
/// weight is the embedding's; then the sums over the tokens are added to its gradient, with one
/// rounding per element.
template <numeric::Real T>
void add_head_gradients(const EncoderConfig& config, nn::Linear<T> head,
                        EncoderGradients<T>& gradients);

/// Does the same for gradients that are stored separately: `rows` of the embedding, the `embedding`
/// itself, and `own` for the head. The latter two are outputs.
template <class T>
void add_head_gradients(bool tied, nn::Linear<T> head, nn::RowGradient<T>& rows,
                        Tensor<T>& embedding, nn::Linear<T>& own) {
  if (!tied) {
    own = std::move(head);
    return;
  }
  nn::add_rows(head.weight, rows);
  embedding = std::move(head.weight);
  own.bias = std::move(head.bias);
  rows = {};
}

/// A Transformer encoder with a classification head. It keeps what its backward needs after a
/// forward.
/// Source    [VSP+17]; docs/specification/encoder.md
/// Computes  x = embedding(tokens) (+ positions) ; x = layer_l(x) for l = 1, ..., L ;
///           pre: x = final_norm(x) ;
///           masked_mean: p_bd = (1/n_b) sum_t x_btd over the real tokens of b, logits = head(p) ;
///           per_position: logits = head(x). A tied head has the weight of the embedding
/// Shapes    tokens, valid [B,T]; logits [B,C], or [B,T,C] per position
/// Requires  those of check_config and of the encoder's parts; (C5) valid is [B,T] or empty, and
///           with the pooling masked_mean each sentence has a real token
/// Order     docs/specification/determinism.md; the mean by rule R2 over the real tokens, numbered
///           without gaps. In inference with mask_padding, a sentence has the same logits, bit for
///           bit, in any batch, and with or without padding at its end
/// Throws    ContractError
template <numeric::Real T>
class Encoder {
 public:
  /// `config` and `parameters` must outlive the encoder.
  Encoder(const EncoderConfig& config, const EncoderParameters<T>& parameters,
          const Tap<T>& tap = {});
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;

  /// Returns the logits. `state` comes from initial_norm_state; training updates it.
  Tensor<T> forward(const EncoderInputs& inputs, const EncoderRun& run, NamedTensors<T>& state);

  /// Returns the gradients of the parameters.
  /// Requires  (C6) a forward was run before, and grad_logits has the shape of its logits
  EncoderGradients<T> backward(const Tensor<T>& grad_logits, NamedTensors<T>& state);

  /// Returns the input of the head, [B,D] or [B,T,D]; this is the forward without the head.
  Tensor<T> hidden(const EncoderInputs& inputs, const EncoderRun& run, NamedTensors<T>& state);
  /// Returns the gradients without those of the head, given the gradient of the head's input.
  /// add_head_gradients adds the others.
  EncoderGradients<T> hidden_backward(Tensor<T> grad_hidden, NamedTensors<T>& state);

 private:
  Keep choose_kept(std::size_t layer) const;
  const Tensor<T>& head_weight() const;
  Tensor<T> pool(const Tensor<T>& x);
  Tensor<T> pool_backward(const Tensor<T>& grad_p) const;

  const EncoderConfig& config_;
  const EncoderParameters<T>& parameters_;
  Tap<T> tap_;
  std::vector<EncoderLayer<T>> layers_;
  EncoderRun run_;
  nn::Tokens tokens_;
  std::vector<std::vector<std::size_t>> real_;  ///< positions of the real tokens of each sentence
  NormSite<T> final_norm_;
  Tensor<T> head_in_;
};

}  // namespace normproof::ref::encoder
