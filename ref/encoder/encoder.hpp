#pragma once

#include <utility>
#include <vector>

#include "ref/encoder/encoder_layer.hpp"

namespace normproof::ref::encoder {

/// Token ids and which of them are real.
struct EncoderInputs {
  nn::Tokens tokens;
  Mask valid = {};  ///< [B,T], true = a real token, or empty: all
};

/// The gradients of a step: dense ones under their names, and the touched rows of the embedding.
template <class T>
struct EncoderGradients {
  EncoderParameters<T> parameters;  ///< embedding is empty where the head is not tied
  nn::RowGradient<T> embedding;     ///< without rows where it is
};

/// Adds the gradients of a head to those of what is before it. Of a tied one the weight is the
/// embedding's: to its gradient the sums over the tokens are added, one rounding an element.
template <numeric::Real T>
void add_head_gradients(const EncoderConfig& config, nn::Linear<T> head,
                        EncoderGradients<T>& gradients);

/// The same where these gradients lie apart: `rows` of the embedding, `embedding` and `own`, the
/// head's, which are made.
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

/// A Transformer encoder with a class head, between a forward and its backward.
/// Source    [VSP+17]; docs/specification/encoder.md
/// Computes  x = embedding(tokens) (+ positions) ; x = layer_l(x) for l = 1, ..., L ; pre: x =
///           final_norm(x) ; masked_mean: p_bd = (1/n_b) sum_t x_btd over the real tokens of b,
///           logits = head(p) ; per_position: logits = head(x). A tied head has the weight of the
///           embedding
/// Shapes    tokens, valid [B,T]; logits [B,C], or [B,T,C] per position
/// Requires  those of check_config and of its parts; (C5) valid is [B,T] or empty, and each
///           sentence has a real token where the pooling is masked_mean
/// Order     docs/specification/determinism.md; the mean by R2 over the real tokens, numbered without gaps. In
///           inference a sentence has the logits, bit for bit, that it has in any batch, with
///           padding at its end or without, where mask_padding is set
/// Throws    ContractError
template <numeric::Real T>
class Encoder {
 public:
  /// `config` and `parameters` have to stay.
  Encoder(const EncoderConfig& config, const EncoderParameters<T>& parameters,
          const Tap<T>& tap = {});
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;

  /// `state` as initial_norm_state has it; it moves in training.
  Tensor<T> forward(const EncoderInputs& inputs, const EncoderRun& run, NamedTensors<T>& state);

  /// Requires  (C6) a forward before it, and grad_logits with the shape of its logits
  EncoderGradients<T> backward(const Tensor<T>& grad_logits, NamedTensors<T>& state);

  /// What the head takes, [B,D] or [B,T,D]: forward without the head.
  Tensor<T> hidden(const EncoderInputs& inputs, const EncoderRun& run, NamedTensors<T>& state);
  /// The gradients without the head's, from that by what it takes; add_head_gradients adds them.
  EncoderGradients<T> hidden_backward(Tensor<T> grad_hidden, NamedTensors<T>& state);

 private:
  Keep what_to_keep(std::size_t layer) const;
  const Tensor<T>& head_weight() const;
  Tensor<T> pool(const Tensor<T>& x);
  Tensor<T> pool_backward(const Tensor<T>& grad_p) const;

  const EncoderConfig& config_;
  const EncoderParameters<T>& parameters_;
  Tap<T> tap_;
  std::vector<EncoderLayer<T>> layers_;
  EncoderRun run_;
  nn::Tokens tokens_;
  std::vector<std::vector<std::size_t>> real_;  ///< positions of each sentence
  NormSite<T> final_norm_;
  Tensor<T> head_in_;
};

}  // namespace normproof::ref::encoder
