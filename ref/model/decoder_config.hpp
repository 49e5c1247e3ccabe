#pragma once

#include <cstddef>

#include "ref/model/encoder_config.hpp"

namespace normproof::ref::model {

/// The layers of one side of a translation model.
struct LayersConfig {
  std::size_t num_heads = 4;
  std::size_t d_ff = 64;
  std::size_t num_layers = 2;
  NormOptions norm = LayerNormOptions{};        ///< at each place of each layer
  NormOptions final_norm = LayerNormOptions{};  ///< after the last layer, of the placement `pre`
};

/// A Transformer that translates, an encoder of the source and a decoder of the target with a head
/// over the target's vocabulary: pure description. Padding is neither attended to nor in a
/// statistic, on either side.
struct DecoderConfig {
  std::size_t source_vocab_size = 0;
  std::size_t target_vocab_size = 0;
  std::size_t d_model = 32;  ///< of both sides
  LayersConfig encoder = {};
  LayersConfig decoder = {};
  NormPlacement placement = NormPlacement::post;
  Activation activation = Activation::relu;
  bool positions = true;          ///< sinusoidal ones are added to the embeddings
  bool scaled_embedding = false;  ///< both are multiplied by sqrt(d_model) before
  double dropout = 0.1;    ///< attention weights, inside the feed-forward, every sublayer's output
  bool tied_head = false;  ///< the head has the target embedding's weight, and a bias of its own
};

/// Either side as an encoder: that of the source, and the causal one of the target.
EncoderConfig source_side(const DecoderConfig& config);
EncoderConfig target_side(const DecoderConfig& config);

}  // namespace normproof::ref::model
