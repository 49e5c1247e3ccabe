#pragma once

#include <utility>
#include <vector>

#include "ref/encoder/encoder_layer.hpp"

namespace normproof::ref::encoder {

/// The token ids of a batch, and the mask of the real tokens.
struct EncoderInputs {
  nn::Tokens tokens;
  Mask valid = {};  ///< [B,T], true for a real token; empty if all tokens are real
};

/// The gradients of the parameters of an encoder in one step of training. The gradient of the
/// embedding has only the rows of the tokens that occur in the batch.
template <class T>
struct EncoderGradients {
  EncoderParameters<T> parameters;  ///< all except the embedding; includes it if tied_head is set
  nn::RowGradient<T> embedding;     ///< has no rows if the head is tied
};

/// Adds the gradients of the head to the gradients of the rest of the encoder. If the head is tied,
/// its weight is the embedding. Then the gradient of the embedding becomes the sum of two
/// gradients: from its use in the head and from its use as the first layer. Each element of this
/// sum is rounded once.
template <numeric::Real T>
void add_head_gradients(const EncoderConfig& config, nn::Linear<T> head,
                        EncoderGradients<T>& gradients);

/// Combines the gradients of the head and of the embedding. `rows` is the part of the gradient of
/// the embedding that comes from its use as the first layer. If the head is tied, `embedding`
/// becomes the whole gradient of the embedding, `rows` becomes empty, and `own` receives only the
/// gradient of the head's bias. Otherwise `own` becomes the gradient of the head.
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

/// A Transformer encoder with a classification head. After a forward, the object holds what its
/// backward needs.
/// Source    [VSP+17]; docs/specification/encoder.md
/// Computes  x = embedding(tokens) (+ positions) ; x = layer_l(x) for l = 1, ..., L ;
///           if the placement is pre: x = final_norm(x) ;
///           if the pooling is masked_mean: p_bd = (1/n_b) sum_t x_btd over the n_b real tokens of
///           sentence b, logits = head(p) ;
///           if the pooling is per_position: logits = head(x). A tied head has the weight of the
///           embedding
/// Shapes    tokens, valid [B,T]; logits [B,C], or [B,T,C] per position
/// Requires  the requirements of check_config and of the encoder's parts; (C5) valid is [B,T] or
///           empty, and with the pooling masked_mean each sentence has a real token
/// Order     docs/specification/determinism.md; the mean is computed by rule R2 over the real
///           tokens, which are numbered without gaps. In inference with mask_padding, a sentence
///           has the same logits, bit for bit, in any batch, and with or without padding at its end
/// Throws    ContractError
template <numeric::Real T>
class Encoder {
 public:
  /// Copies `config`. `parameters` must outlive the encoder.
  Encoder(const EncoderConfig& config, const EncoderParameters<T>& parameters,
          const TensorTap<T>& tap = {});
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;

  /// Returns the logits. `state` comes from initial_norm_state; training updates it.
  Tensor<T> forward(const EncoderInputs& inputs, const ModelRunSettings& run,
                    NamedTensors<T>& state);

  /// Returns the gradients of all parameters.
  /// Requires  (C6) a forward was run before, and grad_logits has the shape of its logits
  EncoderGradients<T> backward(const Tensor<T>& grad_logits, NamedTensors<T>& state);

  /// Runs the forward without the head. Returns the input of the head, [B,D] or [B,T,D].
  Tensor<T> hidden(const EncoderInputs& inputs, const ModelRunSettings& run,
                   NamedTensors<T>& state);
  /// Runs the backward without the head, given the gradient of the head's input. Returns the
  /// gradients of all parameters except those of the head, which add_head_gradients adds.
  EncoderGradients<T> hidden_backward(Tensor<T> grad_hidden, NamedTensors<T>& state);

 private:
  SavedResults choose_saved_results(std::size_t layer) const;
  const Tensor<T>& head_weight() const;
  Tensor<T> pool(const Tensor<T>& x);
  Tensor<T> pool_backward(const Tensor<T>& grad_p) const;

  const EncoderConfig config_;
  const EncoderParameters<T>& parameters_;
  TensorTap<T> tap_;
  std::vector<EncoderLayer<T>> layers_;
  ModelRunSettings run_;
  nn::Tokens tokens_;
  std::vector<std::vector<std::size_t>> real_;  ///< positions of each sentence's real tokens
  NamedNorm<T> final_norm_;
  Tensor<T> head_in_;
};

}  // namespace normproof::ref::encoder
