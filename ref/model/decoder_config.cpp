#include "ref/model/decoder_config.hpp"

namespace normproof::ref::model {
namespace {

EncoderConfig make_side_encoder_config(const DecoderConfig& config, const LayersConfig& layers) {
  EncoderConfig own;
  own.d_model = config.d_model;
  own.num_heads = layers.num_heads;
  own.d_ff = layers.d_ff;
  own.num_layers = layers.num_layers;
  own.activation = config.activation;
  own.placement = config.placement;
  own.pooling = Pooling::per_position;
  own.norm = layers.norm;
  own.positions = config.positions;
  own.scaled_embedding = config.scaled_embedding;
  own.dropout = config.dropout;
  return own;
}

}  // namespace

EncoderConfig source_side(const DecoderConfig& config) {
  EncoderConfig own = make_side_encoder_config(config, config.encoder);
  own.vocab_size = config.source_vocab_size;
  own.num_classes = 1;  // irrelevant: this side has no head
  return own;
}

EncoderConfig target_side(const DecoderConfig& config) {
  EncoderConfig own = make_side_encoder_config(config, config.decoder);
  own.vocab_size = own.num_classes = config.target_vocab_size;
  own.causal = true;
  own.tied_head = config.tied_head;
  return own;
}

}  // namespace normproof::ref::model
