#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ref/decoder/decoder.hpp"
#include "ref/nn/incremental_attention.hpp"

namespace normproof::ref::decoder {

/// A target sentence in inference, token after token: each layer keeps the keys and values of the
/// positions so far, and those of the memory from the beginning. A copy goes on for itself, as the
/// hypotheses of a beam search do; copies share what the source gave, and may go on on different
/// threads.
/// Source    docs/specification/decoder.md
/// Computes  what Decoder's forward in inference has at the last position
/// Requires  those of check_decoder; (C5) the source has a token
/// Order     the bits of Decoder
/// Throws    ContractError
template <numeric::Real T>
class IncrementalDecoder {
 public:
  /// `config` and `parameters` have to stay; `state` as initial_norm_state has it.
  IncrementalDecoder(const DecoderConfig& config, const DecoderParameters<T>& parameters,
                     NamedTensors<T> state, const std::vector<std::int32_t>& source);

  /// From a memory, and as far as the keys and values of positions before say: those of each layer.
  /// Requires  (C7) the memory is of one sentence  (C8) `past` is empty, or has as many positions
  ///           for each layer, whole rows of keys and of values
  IncrementalDecoder(const DecoderConfig& config, const DecoderParameters<T>& parameters,
                     NamedTensors<T> state, const Memory<T>& memory,
                     std::vector<nn::KeyValueCache<T>> past = {});

  /// The logits [V] behind a token more.
  /// Requires  (C6) 0 <= token < V
  Tensor<T> append(std::int32_t token);

  /// How many tokens there are.
  std::size_t size() const { return size_; }

  /// The keys and values of these tokens, of each layer.
  const std::vector<nn::KeyValueCache<T>>& caches() const { return caches_; }

 private:
  /// What copies share; it does not move.
  struct Shared {
    encoder::EncoderConfig side;
    NamedTensors<T> state;
    std::vector<Tensor<T>> keys_values;  ///< [1,S,2D], of each layer
    Mask valid;                          ///< [1,S], or empty: all of the source are tokens
  };

  Tensor<T> pass_layer(std::size_t layer, Tensor<T> x);

  const DecoderConfig* config_;
  const DecoderParameters<T>* parameters_;
  std::shared_ptr<Shared> shared_;
  std::vector<nn::KeyValueCache<T>> caches_;
  std::size_t size_ = 0;
};

}  // namespace normproof::ref::decoder
