#include "ref/model/decoder_config.hpp"

#include <gtest/gtest.h>

namespace normproof::ref::model {
namespace {

/// Returns a config in which no field has its default value. The fields of the encoder also differ
/// from the fields of the decoder.
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

void expect_equal_layers(const EncoderConfig& make_side_encoder_config,
                         const LayersConfig& layers) {
  EXPECT_EQ(make_side_encoder_config.num_heads, layers.num_heads);
  EXPECT_EQ(make_side_encoder_config.d_ff, layers.d_ff);
  EXPECT_EQ(make_side_encoder_config.num_layers, layers.num_layers);
  EXPECT_EQ(norm_name(make_side_encoder_config.norm), norm_name(layers.norm));
}

void expect_equal_common_fields(const EncoderConfig& make_side_encoder_config) {
  EXPECT_EQ(make_side_encoder_config.d_model, 16u);
  EXPECT_EQ(make_side_encoder_config.placement, NormPlacement::pre);
  EXPECT_EQ(make_side_encoder_config.activation, Activation::gelu);
  EXPECT_EQ(make_side_encoder_config.pooling, Pooling::per_position);
  EXPECT_FALSE(make_side_encoder_config.positions);
  EXPECT_TRUE(make_side_encoder_config.scaled_embedding);
  EXPECT_TRUE(make_side_encoder_config.mask_padding);
  EXPECT_EQ(make_side_encoder_config.dropout, 0.25);
}

TEST(DecoderConfig, SourceSideIsAnEncoderWithoutAHead) {
  const DecoderConfig config = unusual_config();
  const EncoderConfig make_side_encoder_config = source_side(config);
  expect_equal_layers(make_side_encoder_config, config.encoder);
  expect_equal_common_fields(make_side_encoder_config);
  EXPECT_EQ(make_side_encoder_config.vocab_size, 11u);
  EXPECT_FALSE(make_side_encoder_config.causal);
  EXPECT_FALSE(make_side_encoder_config.tied_head);
}

TEST(DecoderConfig, TargetSideIsCausalAndHasTheHead) {
  const DecoderConfig config = unusual_config();
  const EncoderConfig make_side_encoder_config = target_side(config);
  expect_equal_layers(make_side_encoder_config, config.decoder);
  expect_equal_common_fields(make_side_encoder_config);
  EXPECT_EQ(make_side_encoder_config.vocab_size, 13u);
  EXPECT_EQ(make_side_encoder_config.num_classes, 13u);
  EXPECT_TRUE(make_side_encoder_config.causal);
  EXPECT_TRUE(make_side_encoder_config.tied_head);
}

}  // namespace
}  // namespace normproof::ref::model
