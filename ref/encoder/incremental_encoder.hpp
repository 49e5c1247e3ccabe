#pragma once

#include "ref/encoder/encoder.hpp"
#include "ref/nn/incremental_attention.hpp"

namespace normproof::ref::encoder {

/// A causal encoder in inference, one sentence, token after token: each layer keeps the keys and
/// values of the positions so far.
/// Source    docs/specification/encoder.md
/// Computes  what Encoder's forward in inference has at the last position
/// Requires  those of check_config; (C1) the encoder is causal, its pooling is per_position
/// Order     the bits of Encoder
/// Throws    ContractError
template <numeric::Real T>
class IncrementalEncoder {
 public:
  /// All three have to stay; `state` as initial_norm_state has it.
  IncrementalEncoder(const EncoderConfig& config, const EncoderParameters<T>& parameters,
                     const NamedTensors<T>& state);
  IncrementalEncoder(const IncrementalEncoder&) = delete;
  IncrementalEncoder& operator=(const IncrementalEncoder&) = delete;

  /// The logits [C] behind a token more.
  /// Requires  (C2) 0 <= token < V
  Tensor<T> append(std::int32_t token);

  /// How many tokens there are.
  std::size_t size() const { return size_; }

 private:
  Tensor<T> pass_layer(std::size_t layer, Tensor<T> x);

  const EncoderConfig& config_;
  const EncoderParameters<T>& parameters_;
  NamedTensors<T> state_;  ///< does not move
  std::vector<nn::KeyValueCache<T>> caches_;
  std::size_t size_ = 0;
};

}  // namespace normproof::ref::encoder
