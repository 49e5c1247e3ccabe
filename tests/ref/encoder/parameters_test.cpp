#include "ref/encoder/parameters.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/ref/encoder/encoders.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::ref::encoder {
namespace {

using model::NormPlacement;
using ::testing::HasSubstr;

TEST(EncoderParameters, HaveTheDocumentedOrderAndShapes) {
  const auto shapes = parameter_shapes(small_config("layer_norm", NormPlacement::pre, 1));
  std::vector<std::string> names;
  for (const ParameterShape& p : shapes) names.push_back(p.name);
  EXPECT_EQ(names,
            (std::vector<std::string>{
                "embedding.weight", "layers.0.attention.in.weight", "layers.0.attention.in.bias",
                "layers.0.attention.out.weight", "layers.0.attention.out.bias",
                "layers.0.norm1.gamma", "layers.0.norm1.beta", "layers.0.feed_forward.first.weight",
                "layers.0.feed_forward.first.bias", "layers.0.feed_forward.second.weight",
                "layers.0.feed_forward.second.bias", "layers.0.norm2.gamma", "layers.0.norm2.beta",
                "final_norm.gamma", "final_norm.beta", "head.weight", "head.bias"}));
  EXPECT_EQ(shapes[1].shape, (tensor::Shape{12, 4}));
  EXPECT_EQ(shapes[9].shape, (tensor::Shape{4, 3}));
}

TEST(EncoderParameters, DependOnTheNorm) {
  const auto count = [](const char* norm) {
    return parameter_shapes(small_config(norm, NormPlacement::post, 1)).size();
  };
  EXPECT_EQ(count("layer_norm"), 15u);
  EXPECT_EQ(count("scale_norm"), 13u);
  EXPECT_EQ(count("none"), 11u);
  EXPECT_EQ(count("group_scaling"), 11u);
}

TEST(EncoderParameters, NamedTensorsConvertBackToTheSameParameters) {
  const EncoderConfig config = small_config("scale_norm", NormPlacement::post, 2);
  const auto named = random_parameters<double>(config);
  const auto again = to_named(from_named(config, named));
  EXPECT_EQ(again.names(), named.names());
  for (const auto& [name, values] : named) EXPECT_EQ(again.at(name), values);
}

TEST(EncoderParameters, C5_RejectsUnknownMissingAndMisshapenParameters) {
  const EncoderConfig config = small_config("layer_norm", NormPlacement::post, 1);
  auto named = random_parameters<double>(config);
  named.set("layers.0.norm1.gama", {1});
  EXPECT_THAT(numeric::contract_message([&] { from_named(config, named); }),
              HasSubstr("unknown parameter 'layers.0.norm1.gama'; did you mean "
                        "'layers.0.norm1.gamma'?"));
  named = random_parameters<double>(config);
  named.set("head.bias", {1, 2});
  EXPECT_THAT(numeric::contract_message([&] { from_named(config, named); }),
              HasSubstr("head.bias has shape [2]; expected shape [3]"));
  EXPECT_THAT(numeric::contract_message([&] { from_named(config, NamedTensors<double>()); }),
              HasSubstr("embedding.weight is absent; expected shape [5, 4]"));
}

template <class Change>
std::string rejection_message(Change change) {
  EncoderConfig config = small_config("group_norm", NormPlacement::post, 1);
  change(config);
  return numeric::contract_message([&] { check_config("f", config); });
}

TEST(EncoderParameters, C1_RejectsAnExtentOfZero) {
  EXPECT_THAT(rejection_message([](auto& c) { c.num_layers = 0; }),
              HasSubstr("num_layers is 0; expected 1"));
}

TEST(EncoderParameters, C2_RejectsHeadsThatDoNotDivideD) {
  EXPECT_THAT(rejection_message([](auto& c) { c.num_heads = 3; }),
              HasSubstr("a divisor of d_model, 4 (C2)"));
}

TEST(EncoderParameters, C3_RejectsDropoutRateOfOne) {
  EXPECT_THAT(rejection_message([](auto& c) { c.dropout = 1; }), HasSubstr("(C3)"));
}

TEST(EncoderParameters, C4_RejectsGroupsThatDoNotDivideD) {
  EXPECT_THAT(rejection_message([](auto& c) { c.norm = model::GroupNormOptions{.groups = 3}; }),
              HasSubstr("norm.groups is 3; expected a divisor of d_model, 4 (C4)"));
}

TEST(EncoderParameters, C6_RejectsCausalEncodersWithStatisticsOverASentence) {
  EXPECT_THAT(
      rejection_message([](auto& c) { c.causal = true; }),
      HasSubstr("norm is group_norm where attention is causal; expected one without statistics "
                "over a sentence (C6)"));
  EXPECT_EQ(rejection_message([](auto& c) {
              c.causal = true;
              c.norm = model::BatchNormOptions{};
            }),
            "no error");
}

TEST(EncoderParameters, C7_RejectsATiedHeadWithTooFewClasses) {
  EXPECT_THAT(rejection_message([](auto& c) { c.tied_head = true; }),
              HasSubstr("num_classes is 3 of a tied head; expected vocab_size, 5 (C7)"));
}

TEST(EncoderParameters, ATiedHeadHasOnlyABias) {
  EncoderConfig config = small_config("none", NormPlacement::post, 1);
  config.tied_head = true;
  config.num_classes = config.vocab_size;
  const auto named = random_parameters<double>(config);
  EXPECT_FALSE(named.contains("head.weight"));
  EXPECT_TRUE(named.contains("head.bias"));
  EXPECT_EQ(to_named(from_named(config, named)).names(), named.names());
}

TEST(EncoderNormState, HasTensorsForEachNormOfTheEncoder) {
  const auto state = initial_norm_state<double>(small_config("power_norm", NormPlacement::pre, 2));
  EXPECT_EQ(state.size(), 15u);
  EXPECT_TRUE(state.contains("layers.1.norm2.nu"));
  EXPECT_TRUE(state.contains("final_norm.running_psi2"));
  EXPECT_TRUE(
      initial_norm_state<double>(small_config("layer_norm", NormPlacement::pre, 2)).empty());
}

}  // namespace
}  // namespace normproof::ref::encoder
