#pragma once

#include <cstddef>

#include "ref/model/encoder_config.hpp"

namespace normproof::ref::model {

/// The configuration of the layers of one side of a translation model: of the encoder or of the
/// decoder.
struct LayersConfig {
  std::size_t num_heads = 4;
  std::size_t d_ff = 64;
  std::size_t num_layers = 2;
  NormOptions norm = LayerNormOptions{};        ///< the norm in every layer
  NormOptions final_norm = LayerNormOptions{};  ///< the norm after the last layer, for `pre`
};

/// The configuration of a Transformer for translation. The encoder reads the source. The decoder
/// reads the target, and its head predicts tokens of the target's vocabulary. Padding is not
/// attended to, and it is not part of any statistic.
struct DecoderConfig {
  std::size_t source_vocab_size = 0;
  std::size_t target_vocab_size = 0;
  std::size_t d_model = 32;  ///< features of both sides
  LayersConfig encoder = {};
  LayersConfig decoder = {};
  NormPlacement placement = NormPlacement::post;
  Activation activation = Activation::relu;
  bool positions = true;          ///< adds sinusoidal positions to the embeddings
  bool scaled_embedding = false;  ///< multiplies both embeddings by sqrt(d_model) first
  /// The probability of dropout. Dropout is applied to attention weights, inside the feed-forward,
  /// and to the output of every sublayer.
  double dropout = 0.1;
  bool tied_head = false;  ///< the head uses the target embedding's weight and its own bias
};

/// source_side returns the configuration of an encoder that has the layers of the source side of a
/// translation model. target_side does the same for the target side, which is causal.
EncoderConfig source_side(const DecoderConfig& config);
EncoderConfig target_side(const DecoderConfig& config);

}  // namespace normproof::ref::model
