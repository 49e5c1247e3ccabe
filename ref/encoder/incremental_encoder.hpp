#pragma once

#include "ref/encoder/encoder.hpp"
#include "ref/nn/incremental_attention.hpp"

namespace normproof::ref::encoder {

/// A causal encoder in inference that reads one sentence token by token. Each layer keeps the keys
/// and values of all tokens that were appended.
/// Source    docs/specification/encoder.md
/// Computes  what the forward of Encoder in inference returns at the last position
/// Requires  the requirements of check_config; (C1) the encoder is causal, and its pooling is
///           per_position
/// Order     the same bits as Encoder
/// Throws    ContractError
template <numeric::Real T>
class IncrementalEncoder {
 public:
  /// Copies `config`, and copies `state`, which initial_norm_state returned or training updated.
  /// `parameters` must outlive this object.
  IncrementalEncoder(const EncoderConfig& config, const EncoderParameters<T>& parameters,
                     const NamedTensors<T>& state);
  IncrementalEncoder(const IncrementalEncoder&) = delete;
  IncrementalEncoder& operator=(const IncrementalEncoder&) = delete;

  /// Appends a token and returns the logits [C] at its position.
  /// Requires  (C2) 0 <= token < V
  Tensor<T> append(std::int32_t token);

  /// Returns the number of tokens that were appended.
  std::size_t size() const { return size_; }

 private:
  Tensor<T> run_layer(std::size_t layer, Tensor<T> x);

  const EncoderConfig config_;
  const EncoderParameters<T>& parameters_;
  NamedTensors<T> state_;  ///< is never changed
  std::vector<nn::KeyValueCache<T>> caches_;
  std::size_t size_ = 0;
};

}  // namespace normproof::ref::encoder
