#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ref/decoder/decoder.hpp"
#include "ref/nn/incremental_attention.hpp"

namespace normproof::ref::decoder {

/// A decoder in inference that appends tokens to one target sentence, one at a time. Each layer
/// keeps the keys and values of all tokens of the target up to the last appended token, and the
/// keys and values of the memory. A copy of the object continues independently, which beam search
/// needs for its hypotheses. Copies share the data computed from the source, and may be used on
/// different threads.
/// Source    docs/specification/decoder.md
/// Computes  what the forward of Decoder in inference returns at the last position
/// Requires  the requirements of check_decoder; (C5) the source has a token
/// Order     the same bits as Decoder
/// Throws    ContractError
template <numeric::Real T>
class IncrementalDecoder {
 public:
  /// Starts a target for a source sentence. `config` and `parameters` must outlive this object.
  /// `state` holds the running statistics that initial_norm_state returned or training updated.
  IncrementalDecoder(const DecoderConfig& config, const DecoderParameters<T>& parameters,
                     NamedTensors<T> state, const std::vector<std::int32_t>& source);

  /// Starts a target for a memory, which is the encoder's output for one source sentence. If `past`
  /// is given, it holds, for each layer, the keys and values of earlier positions of the target.
  /// Requires  (C7) the memory is of one sentence
  ///           (C8) `past` is empty, or has the same number of positions for each layer, in whole
  ///           rows of keys and of values
  IncrementalDecoder(const DecoderConfig& config, const DecoderParameters<T>& parameters,
                     NamedTensors<T> state, const Memory<T>& memory,
                     std::vector<nn::KeyValueCache<T>> past = {});

  /// Appends a token and returns the logits [V] at its position.
  /// Requires  (C6) 0 <= token < V
  Tensor<T> append(std::int32_t token);

  /// Returns the number of tokens of the target, up to the token that was appended last.
  std::size_t size() const { return size_; }

  /// Returns, for each layer, the keys and values of the tokens of the target.
  const std::vector<nn::KeyValueCache<T>>& caches() const { return caches_; }

 private:
  /// The data that all copies of an IncrementalDecoder share. It is never changed.
  struct SharedSourceData {
    encoder::EncoderConfig side;
    NamedTensors<T> state;
    std::vector<Tensor<T>> keys_values;  ///< [1,S,2D] per layer
    Mask valid;                          ///< [1,S], or empty if all tokens of the source are real
  };

  Tensor<T> run_layer(std::size_t layer, Tensor<T> x);

  const DecoderConfig* config_;
  const DecoderParameters<T>* parameters_;
  std::shared_ptr<SharedSourceData> shared_;
  std::vector<nn::KeyValueCache<T>> caches_;
  std::size_t size_ = 0;
};

}  // namespace normproof::ref::decoder
