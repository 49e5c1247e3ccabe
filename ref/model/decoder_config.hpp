#pragma once

#include <cstddef>

#include "ref/model/encoder_config.hpp"

namespace normproof::ref::model {

/// The layers of one side of a translation model.
struct LayersConfig {
  std::size_t num_heads = 4;
  std::size_t d_ff = 64;
  std::size_t num_layers = 2;
  NormOptions norm = LayerNormOptions{};        ///< at every norm site of every layer
  NormOptions final_norm = LayerNormOptions{};  ///< after the last layer, if the placement is `pre`
};

/// A Transformer for translation: an encoder of the source, and a decoder of the target with a head
/// over the target's vocabulary. On both sides, padding is neither attended to nor part of a
/// statistic.
struct DecoderConfig {
  std::size_t source_vocab_size = 0;
  std::size_t target_vocab_size = 0;
  std::size_t d_model = 32;  ///< the same on both sides
  LayersConfig encoder = {};
  LayersConfig decoder = {};
  NormPlacement placement = NormPlacement::post;
  Activation activation = Activation::relu;
  bool positions = true;          ///< adds sinusoidal positions to the embeddings
  bool scaled_embedding = false;  ///< multiplies both embeddings by sqrt(d_model) first
  /// On attention weights, inside the feed-forward, on every sublayer's output.
  double dropout = 0.1;
  bool tied_head = false;  ///< the head uses the target embedding's weight and its own bias
};

/// Return one side as an encoder: the source's, or the target's, which is causal.
EncoderConfig source_side(const DecoderConfig& config);
EncoderConfig target_side(const DecoderConfig& config);

}  // namespace normproof::ref::model
