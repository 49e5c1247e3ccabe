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

void expect_layers(const EncoderConfig& side, const LayersConfig& layers) {
  EXPECT_EQ(side.num_heads, layers.num_heads);
  EXPECT_EQ(side.d_ff, layers.d_ff);
  EXPECT_EQ(side.num_layers, layers.num_layers);
  EXPECT_EQ(norm_name(side.norm), norm_name(layers.norm));
}

void expect_common_fields(const EncoderConfig& side) {
  EXPECT_EQ(side.d_model, 16u);
  EXPECT_EQ(side.placement, NormPlacement::pre);
  EXPECT_EQ(side.activation, Activation::gelu);
  EXPECT_EQ(side.pooling, Pooling::per_position);
  EXPECT_FALSE(side.positions);
  EXPECT_TRUE(side.scaled_embedding);
  EXPECT_TRUE(side.mask_padding);
  EXPECT_EQ(side.dropout, 0.25);
}

TEST(DecoderConfig, SourceSideIsAnEncoderWithoutAHead) {
  const DecoderConfig config = unusual_config();
  const EncoderConfig side = source_side(config);
  expect_layers(side, config.encoder);
  expect_common_fields(side);
  EXPECT_EQ(side.vocab_size, 11u);
  EXPECT_FALSE(side.causal);
  EXPECT_FALSE(side.tied_head);
}

TEST(DecoderConfig, TargetSideIsCausalAndHasTheHead) {
  const DecoderConfig config = unusual_config();
  const EncoderConfig side = target_side(config);
  expect_layers(side, config.decoder);
  expect_common_fields(side);
  EXPECT_EQ(side.vocab_size, 13u);
  EXPECT_EQ(side.num_classes, 13u);
  EXPECT_TRUE(side.causal);
  EXPECT_TRUE(side.tied_head);
}

}  // namespace
}  // namespace normproof::ref::model
