#include "ref/encoder/encoder_layer.hpp"

#include <gtest/gtest.h>

#include "ref/ops/arithmetic.hpp"
#include "tests/ref/encoder/encoders.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::ref::encoder {
namespace {

using model::NormPlacement;

/// The expected output is composed from attention, norms and feed-forward as documented.
TEST(EncoderLayer, ComposesItsSublayersForPostAndPreNorm) {
  for (const NormPlacement placement : {NormPlacement::post, NormPlacement::pre}) {
    const EncoderConfig config = small_config("layer_norm", placement, 1);
    const auto p = from_named(config, random_parameters<double>(config)).layers[0];
    const Tensor<double> x = nn::random_tensor<double>("x", {2, 3, 4});
    NamedTensors<double> state;
    const TensorTap<double> tap;
    EncoderLayer<double> layer(config, p, "layers.0", tap);
    const Tensor<double> y = layer.forward(x, {}, {}, state);

    const auto normalize = [&](const Tensor<double>& values,
                               const norm::NormParameters<double>& own) {
      return norm::norm_forward<double>(config.norm, {values, own.at("gamma"), own.at("beta")}, {})
          .outputs.at("y");
    };
    const auto attend = [&](const Tensor<double>& values) {
      return nn::multi_head_attention<double>(values, p.attention, {}, {.num_heads = 2}).y;
    };
    const auto feed = [&](const Tensor<double>& values) {
      return nn::feed_forward<double>(values, p.feed_forward, {.activation = config.activation}).y;
    };
    const auto sum = [](Tensor<double> a, const Tensor<double>& b) {
      ops::add_in_place(a, b);
      return a;
    };
    Tensor<double> expected;
    if (placement == NormPlacement::post) {
      const Tensor<double> h = normalize(sum(attend(x), x), p.norm1);
      expected = normalize(sum(feed(h), h), p.norm2);
    } else {
      const Tensor<double> h = sum(attend(normalize(x, p.norm1)), x);
      expected = sum(feed(normalize(h, p.norm2)), h);
    }
    EXPECT_EQ(y, expected);
  }
}

TEST(EncoderLayer, UpdatesOnlyItsOwnNormState) {
  const EncoderConfig config = small_config("batch_norm", NormPlacement::post, 2);
  const auto p = from_named(config, random_parameters<double>(config));
  auto state = initial_norm_state<double>(config);
  const auto before = state;
  const TensorTap<double> tap;
  EncoderLayer<double> layer(config, p.layers[1], "layers.1", tap);
  layer.forward(nn::random_tensor<double>("x", {2, 3, 4}), {}, {}, state);
  EXPECT_EQ(state.names(), before.names());
  for (const auto& [name, values] : before)
    EXPECT_EQ(values == state.at(name), name.starts_with("layers.0.")) << name;
}

TEST(EncoderLayer, C1_RejectsAMissingDropoutMaskAndReproducesDrawnMasks) {
  EncoderConfig config = small_config("layer_norm", NormPlacement::pre, 1);
  config.dropout = 0.5;
  const auto p = from_named(config, random_parameters<double>(config)).layers[0];
  const Tensor<double> x = nn::random_tensor<double>("x", {2, 3, 4}),
                       dy = nn::random_tensor<double>("dy", {2, 3, 4});
  std::map<std::string, Mask> masks;
  const TensorTap<double> tap = make_mask_recorder(masks);
  const auto run_with = [&](const ModelRunSettings& run, const TensorTap<double>& own) {
    NamedTensors<double> state;
    EncoderLayerParameters<double> gradients;
    EncoderLayer<double> layer(config, p, "layers.0", own);
    Tensor<double> y = layer.forward(x, {}, run, state);
    return std::pair(std::move(y), layer.backward(dy, run, state, gradients));
  };
  const auto drawn = run_with({.seed = 5}, tap);
  ASSERT_EQ(masks.size(), 4u);
  EXPECT_EQ(run_with({.seed = 6, .masks = &masks}, {}), drawn);
  EXPECT_NE(run_with({.seed = 6}, {}), drawn);
  masks.erase("layers.0.feed_forward.y");
  EXPECT_NE(numeric::contract_message([&] { run_with({.masks = &masks}, {}); }), "no error");
}

}  // namespace
}  // namespace normproof::ref::encoder
