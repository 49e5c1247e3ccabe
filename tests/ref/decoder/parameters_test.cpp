#include "ref/decoder/parameters.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/ref/decoder/decoders.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::ref::decoder {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

std::vector<std::string> parameter_names(const DecoderConfig& config) {
  std::vector<std::string> names;
  for (const ParameterShape& p : parameter_shapes(config)) names.push_back(p.name);
  return names;
}

Shape shape_by_name(const DecoderConfig& config, const std::string& name) {
  for (const ParameterShape& p : parameter_shapes(config))
    if (p.name == name) return p.shape;
  return {};
}

TEST(DecoderParameters, AreListedInTheDocumentedOrder) {
  const std::vector<std::string> expected = {"encoder.embedding.weight",
                                             "encoder.layers.0.attention.in.weight",
                                             "encoder.layers.0.attention.in.bias",
                                             "encoder.layers.0.attention.out.weight",
                                             "encoder.layers.0.attention.out.bias",
                                             "encoder.layers.0.norm1.gamma",
                                             "encoder.layers.0.norm1.beta",
                                             "encoder.layers.0.feed_forward.first.weight",
                                             "encoder.layers.0.feed_forward.first.bias",
                                             "encoder.layers.0.feed_forward.second.weight",
                                             "encoder.layers.0.feed_forward.second.bias",
                                             "encoder.layers.0.norm2.gamma",
                                             "encoder.layers.0.norm2.beta",
                                             "encoder.final_norm.gamma",
                                             "encoder.final_norm.beta",
                                             "decoder.embedding.weight",
                                             "decoder.layers.0.self_attention.in.weight",
                                             "decoder.layers.0.self_attention.in.bias",
                                             "decoder.layers.0.self_attention.out.weight",
                                             "decoder.layers.0.self_attention.out.bias",
                                             "decoder.layers.0.norm1.gamma",
                                             "decoder.layers.0.norm1.beta",
                                             "decoder.layers.0.cross_attention.query.weight",
                                             "decoder.layers.0.cross_attention.query.bias",
                                             "decoder.layers.0.cross_attention.memory.weight",
                                             "decoder.layers.0.cross_attention.memory.bias",
                                             "decoder.layers.0.cross_attention.out.weight",
                                             "decoder.layers.0.cross_attention.out.bias",
                                             "decoder.layers.0.norm2.gamma",
                                             "decoder.layers.0.norm2.beta",
                                             "decoder.layers.0.feed_forward.first.weight",
                                             "decoder.layers.0.feed_forward.first.bias",
                                             "decoder.layers.0.feed_forward.second.weight",
                                             "decoder.layers.0.feed_forward.second.bias",
                                             "decoder.layers.0.norm3.gamma",
                                             "decoder.layers.0.norm3.beta",
                                             "decoder.final_norm.gamma",
                                             "decoder.final_norm.beta",
                                             "head.weight",
                                             "head.bias"};
  EXPECT_EQ(parameter_names(small_decoder_config("layer_norm", "layer_norm", NormPlacement::pre)),
            expected);
}

TEST(DecoderParameters, HaveTheExtentsOfTheSideToWhichTheyBelong) {
  const DecoderConfig config = small_decoder_config("layer_norm", "layer_norm", NormPlacement::pre);
  const std::vector<std::pair<std::string, Shape>> expected = {
      {"encoder.embedding.weight", {4, 4}},
      {"decoder.embedding.weight", {3, 4}},
      {"head.weight", {3, 4}},
      {"head.bias", {3}},
      {"encoder.layers.0.feed_forward.first.weight", {2, 4}},
      {"decoder.layers.0.feed_forward.first.weight", {3, 4}},
      {"decoder.layers.0.feed_forward.second.bias", {4}},
      {"decoder.layers.0.self_attention.in.weight", {12, 4}},
      {"decoder.layers.0.cross_attention.query.weight", {4, 4}},
      {"decoder.layers.0.cross_attention.query.bias", {4}},
      {"decoder.layers.0.cross_attention.memory.weight", {8, 4}},
      {"decoder.layers.0.cross_attention.memory.bias", {8}},
      {"decoder.layers.0.cross_attention.out.weight", {4, 4}},
      {"decoder.layers.0.norm3.gamma", {4}}};
  for (const auto& [name, shape] : expected) EXPECT_EQ(shape_by_name(config, name), shape) << name;
}

// The released code of PowerNorm calls a similar choice of norms "power power layer layer". Here
// the final norm of the encoder is a ScaleNorm.
TEST(DecoderParameters, EncoderDecoderAndFinalNormsFollowTheConfig) {
  DecoderConfig config = small_decoder_config("power_norm", "dyt", NormPlacement::pre);
  config.encoder.final_norm = model::norm_options("scale_norm");
  config.decoder.final_norm = model::norm_options("layer_norm");
  const auto state = initial_norm_state<double>(config);
  EXPECT_TRUE(state.contains("encoder.layers.0.norm2.running_psi2"));
  for (const auto& [name, values] : state) EXPECT_TRUE(name.starts_with("encoder.layers.")) << name;
  EXPECT_EQ(shape_by_name(config, "encoder.final_norm.gamma"), (Shape{1}));
  EXPECT_EQ(shape_by_name(config, "decoder.final_norm.gamma"), (Shape{4}));
  EXPECT_EQ(shape_by_name(config, "decoder.layers.0.norm3.alpha"), (Shape{1}));
  EXPECT_EQ(initial_norm_value(config, "encoder.layers.0.norm1.gamma"), 1);
  EXPECT_EQ(initial_norm_value(config, "decoder.layers.0.norm3.alpha"), 0.5);
  EXPECT_EQ(initial_norm_value(config, "encoder.final_norm.gamma"),
            model::initial_value(config.encoder.final_norm,
                                 *model::norm_layer(config.encoder.final_norm).parameter("gamma")));
  EXPECT_EQ(initial_norm_value(config, "decoder.final_norm.beta"), 0);
  EXPECT_EQ(initial_norm_value(config, "head.bias"), std::nullopt);
  EXPECT_EQ(initial_norm_value(config, "decoder.embedding.weight"), std::nullopt);
}

TEST(DecoderParameters, NamedTensorsConvertBackToTheSameParameters) {
  for (const DecoderConfig& config : decoder_configs(2)) {
    const auto named = encoder::random_values<double>(parameter_shapes(config));
    const auto again = to_named(from_named(config, named));
    EXPECT_EQ(again.names(), named.names());
    for (const auto& [name, values] : named) EXPECT_EQ(again.at(name), values) << name;
  }
}

TEST(DecoderParameters, ATiedHeadHasOnlyABias) {
  DecoderConfig config = small_decoder_config("none", "none", NormPlacement::post);
  config.tied_head = true;
  EXPECT_THAT(parameter_names(config), ::testing::Not(Contains("head.weight")));
  EXPECT_THAT(parameter_names(config), Contains("head.bias"));
}

TEST(DecoderParameters, RejectsUnknownMissingAndMisshapenParameters) {
  const DecoderConfig config =
      small_decoder_config("layer_norm", "layer_norm", NormPlacement::post);
  auto named = encoder::random_values<double>(parameter_shapes(config));
  named.set("decoder.layers.0.norm4.gamma", {1});
  EXPECT_THAT(numeric::contract_message([&] { from_named(config, named); }),
              HasSubstr("unknown parameter 'decoder.layers.0.norm4.gamma'; did you mean"));
  named = encoder::random_values<double>(parameter_shapes(config));
  named.set("decoder.embedding.weight", {{1, 2}});
  EXPECT_THAT(numeric::contract_message([&] { from_named(config, named); }),
              HasSubstr("decoder.embedding.weight has shape [1, 2]; expected shape [3, 4] (C5)"));
}

template <class Change>
std::string config_rejection_message(Change change) {
  DecoderConfig config = small_decoder_config("layer_norm", "layer_norm", NormPlacement::pre);
  change(config);
  return numeric::contract_message([&] { check_decoder("f", config); });
}

TEST(DecoderParameters, InvalidOptionsOfEncoderOrDecoderAreRejected) {
  EXPECT_EQ(config_rejection_message([](auto&) {}), "no error");
  EXPECT_THAT(config_rejection_message([](auto& c) { c.source_vocab_size = 0; }),
              HasSubstr("f: encoder.vocab_size is 0; expected 1 or more (C1)"));
  EXPECT_THAT(config_rejection_message([](auto& c) { c.target_vocab_size = 0; }),
              HasSubstr("f: decoder.vocab_size is 0"));
  EXPECT_THAT(config_rejection_message([](auto& c) { c.decoder.num_heads = 3; }),
              HasSubstr("f: decoder.num_heads is 3"));
  const auto grouped = [](std::int64_t groups) {
    return model::NormOptions(model::GroupNormOptions{.groups = groups});
  };
  EXPECT_THAT(config_rejection_message([&](auto& c) { c.encoder.norm = grouped(3); }),
              HasSubstr("f: encoder.norm.groups is 3"));
  EXPECT_THAT(config_rejection_message([&](auto& c) { c.encoder.final_norm = grouped(3); }),
              HasSubstr("f: encoder.final_norm.groups is 3"));
  EXPECT_EQ(config_rejection_message(
                [&](auto& c) { c.encoder.norm = c.encoder.final_norm = grouped(2); }),
            "no error");
  EXPECT_THAT(config_rejection_message([&](auto& c) { c.decoder.norm = grouped(2); }),
              HasSubstr("one without statistics over a sentence (C6)"));
  EXPECT_THAT(config_rejection_message([&](auto& c) { c.decoder.final_norm = grouped(2); }),
              HasSubstr("f: decoder.final_norm is group_norm where attention is causal"));
  EXPECT_EQ(config_rejection_message([&](auto& c) {
              c.decoder.final_norm = grouped(2);
              c.placement = NormPlacement::post;
            }),
            "no error");
}

}  // namespace
}  // namespace normproof::ref::decoder
