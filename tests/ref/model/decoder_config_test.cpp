#include "ref/model/decoder_config.hpp"

#include <gtest/gtest.h>

namespace normproof::ref::model {
namespace {

/// Returns a config in which no field has its default value. Fields of the encoder also differ from
/// those of the decoder.
DecoderConfig unusual_config() {
  const LayersConfig encoder_layers{
      .num_heads = 2, .d_ff = 7, .num_layers = 3, .norm = RMSNormOptions{}, .final_norm = {}};
  const LayersConfig decoder_layers{
      .num_heads = 8, .d_ff = 9, .num_layers = 5, .norm = DyTOptions{}, .final_norm = {}};
  return {.source_vocab_size = 11,
          .target_vocab_size = 13,
          .d_model = 16,
          .encoder = encoder_layers,
          .decoder = decoder_layers,
          .placement = NormPlacement::pre,
          .activation = Activation::gelu,
          .positions = false,
          .scaled_embedding = true,
          .dropout = 0.25,
          .tied_head = true};
}

void expect_layers(const EncoderConfig& side_as_encoder, const LayersConfig& layers) {
  EXPECT_EQ(side_as_encoder.num_heads, layers.num_heads);
  EXPECT_EQ(side_as_encoder.d_ff, layers.d_ff);
  EXPECT_EQ(side_as_encoder.num_layers, layers.num_layers);
  EXPECT_EQ(norm_name(side_as_encoder.norm), norm_name(layers.norm));
}

void expect_common_fields(const EncoderConfig& side_as_encoder) {
  EXPECT_EQ(side_as_encoder.d_model, 16u);
  EXPECT_EQ(side_as_encoder.placement, NormPlacement::pre);
  EXPECT_EQ(side_as_encoder.activation, Activation::gelu);
  EXPECT_EQ(side_as_encoder.pooling, Pooling::per_position);
  EXPECT_FALSE(side_as_encoder.positions);
  EXPECT_TRUE(side_as_encoder.scaled_embedding);
  EXPECT_TRUE(side_as_encoder.mask_padding);
  EXPECT_EQ(side_as_encoder.dropout, 0.25);
}

TEST(DecoderConfig, SourceSideIsAnEncoderWithoutAHead) {
  const DecoderConfig config = unusual_config();
  const EncoderConfig side_as_encoder = source_side(config);
  expect_layers(side_as_encoder, config.encoder);
  expect_common_fields(side_as_encoder);
  EXPECT_EQ(side_as_encoder.vocab_size, 11u);
  EXPECT_FALSE(side_as_encoder.causal);
  EXPECT_FALSE(side_as_encoder.tied_head);
}

TEST(DecoderConfig, TargetSideIsCausalAndHasTheHead) {
  const DecoderConfig config = unusual_config();
  const EncoderConfig side_as_encoder = target_side(config);
  expect_layers(side_as_encoder, config.decoder);
  expect_common_fields(side_as_encoder);
  EXPECT_EQ(side_as_encoder.vocab_size, 13u);
  EXPECT_EQ(side_as_encoder.num_classes, 13u);
  EXPECT_TRUE(side_as_encoder.causal);
  EXPECT_TRUE(side_as_encoder.tied_head);
}

}  // namespace
}  // namespace normproof::ref::model
