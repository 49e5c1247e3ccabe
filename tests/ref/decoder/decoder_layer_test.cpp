#include "ref/decoder/decoder_layer.hpp"

#include <gtest/gtest.h>

#include "ref/ops/arithmetic.hpp"
#include "tests/ref/decoder/decoders.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::ref::decoder {
namespace {

using nn::random_tensor;

/// Returns a random encoder output for two sentences with 3 positions and 4 features. The second
/// sentence ends with a position of padding.
Memory<double> sample_encoder_output() {
  return {random_tensor<double>("memory", {2, 3, 4}),
          Mask{{true, true, true}, {true, true, false}}};
}

Tensor<double> add_tensors(Tensor<double> a, const Tensor<double>& b) {
  ops::add_in_place(a, b);
  return a;
}

/// The expected output is composed from attention, norms and feed-forward as documented.
TEST(DecoderLayer, ComposesItsSublayersForPostAndPreNorm) {
  for (const NormPlacement placement : {NormPlacement::post, NormPlacement::pre}) {
    const DecoderConfig config = small_decoder_config("none", "layer_norm", placement);
    const auto p = random_decoder_parameters<double>(config).layers[0];
    const encoder::EncoderConfig side = target_side(config);
    const auto x = random_tensor<double>("x", {2, 2, 4});
    const Mask valid{{true, false}, {true, true}};
    const Memory<double> memory = sample_encoder_output();
    NamedTensors<double> state;
    DecoderLayer<double> layer(side, p, "decoder.layers.0", {});
    const auto y = layer.forward(x, valid, memory, {}, state);

    const auto normalize = [&](const Tensor<double>& values,
                               const norm::NormParameters<double>& norm_parameters) {
      return norm::norm_forward<double>(
                 side.norm, {values, norm_parameters.at("gamma"), norm_parameters.at("beta")}, {})
          .outputs.at("y");
    };
    const auto attend = [&](const Tensor<double>& values) {
      return nn::multi_head_attention<double>(values, p.self_attention, valid,
                                              {.num_heads = 2, .causal = true})
          .y;
    };
    const auto run_cross_attention = [&](const Tensor<double>& values) {
      return nn::cross_attention<double>(values, memory.values, p.cross_attention, memory.valid,
                                         {.num_heads = 2})
          .y;
    };
    const auto feed = [&](const Tensor<double>& values) {
      return nn::feed_forward<double>(values, p.feed_forward, {.activation = config.activation}).y;
    };
    Tensor<double> expected;
    if (placement == NormPlacement::post) {
      const auto h = normalize(add_tensors(attend(x), x), p.norm1);
      const auto g = normalize(add_tensors(run_cross_attention(h), h), p.norm2);
      expected = normalize(add_tensors(feed(g), g), p.norm3);
    } else {
      const auto h = add_tensors(attend(normalize(x, p.norm1)), x);
      const auto g = add_tensors(run_cross_attention(normalize(h, p.norm2)), h);
      expected = add_tensors(feed(normalize(g, p.norm3)), g);
    }
    EXPECT_EQ(y, expected);
  }
}

TEST(DecoderLayer, AddsItsGradientOfTheEncoderOutputToTheGradientOfLaterLayers) {
  const DecoderConfig config = small_decoder_config("none", "layer_norm", NormPlacement::post);
  const auto p = random_decoder_parameters<double>(config).layers[0];
  const encoder::EncoderConfig side = target_side(config);
  const auto x = random_tensor<double>("x", {2, 2, 4}), dy = random_tensor<double>("dy", {2, 2, 4});
  const auto behind = random_tensor<double>("behind", {2, 3, 4});
  const auto grad_memory_after = [&](Tensor<double> grad_memory) {
    NamedTensors<double> state;
    DecoderLayerParameters<double> gradients;
    DecoderLayer<double> layer(side, p, "decoder.layers.0", {});
    layer.forward(x, {}, sample_encoder_output(), {}, state);
    layer.backward(dy, sample_encoder_output(), {}, state, gradients, grad_memory);
    return grad_memory;
  };
  const auto norm_parameters = grad_memory_after({});
  EXPECT_EQ(grad_memory_after(behind), add_tensors(behind, norm_parameters));
  // The second sentence ends with padding, whose gradient must be 0.
  for (std::size_t d = 0; d < 4; ++d) EXPECT_EQ(norm_parameters.data()[(3 + 2) * 4 + d], 0);
}

/// Compares the gradients of x, the encoder output and every parameter with derivatives by dual
/// numbers and by the complex step.
void expect_derivative_of_layer(const char* norm, NormPlacement placement,
                                const ModelRunSettings& run = {}, double dropout = 0) {
  DecoderConfig config = small_decoder_config("none", norm, placement);
  config.dropout = dropout;
  const encoder::EncoderConfig side = target_side(config);
  const Mask valid{{true, false}, {true, true}};
  auto inputs = encoder::random_values<double>(parameter_shapes(config));
  inputs.set("x", random_tensor<double>("x", {2, 2, 4}));
  inputs.set("memory", sample_encoder_output().values);
  const auto run_layer = [&]<class T>(NamedTensors<T> at, auto use) {
    const Tensor<T> x = at.at("x");
    const Memory<T> memory{at.at("memory"), sample_encoder_output().valid};
    NamedTensors<T> parameters;
    for (const auto& p : parameter_shapes(config)) parameters.set(p.name, at.at(p.name));
    const auto p = from_named(config, parameters);
    auto state = initial_norm_state<T>(config);
    DecoderLayer<T> layer(side, p.layers[0], "decoder.layers.0", {});
    const Tensor<T> y = layer.forward(x, valid, memory, run, state);
    return use(y, layer, memory, state);
  };
  nn::expect_gradients(
      inputs, random_tensor<double>("dy", {2, 2, 4}),
      [&]<class T>(const NamedTensors<T>& at) {
        return run_layer(at, [](const Tensor<T>& y, auto&&...) { return y; });
      },
      [&]<class T>(const NamedTensors<T>& at, const Tensor<T>& dy) {
        return run_layer(at, [&](const Tensor<T>&, DecoderLayer<T>& layer, const Memory<T>& memory,
                                 NamedTensors<T>& state) {
          DecoderParameters<T> gradients;
          gradients.layers.resize(1);
          Tensor<T> grad_memory;
          const Tensor<T> grad_x =
              layer.backward(dy, memory, run, state, gradients.layers[0], grad_memory);
          NamedTensors<T> named = to_named(std::move(gradients));
          named.set("x", grad_x);
          named.set("memory", grad_memory);
          return named;
        });
      },
      norm);
}

TEST(DecoderLayer, BackwardIsTheDerivativeWithPostNorm) {
  expect_derivative_of_layer("layer_norm", NormPlacement::post);
}
TEST(DecoderLayer, BackwardIsTheDerivativeWithPreNorm) {
  expect_derivative_of_layer("batch_norm", NormPlacement::pre);
}
TEST(DecoderLayer, BackwardIsTheDerivativeWithGivenDropoutMasks) {
  std::map<std::string, Mask> masks;
  DecoderConfig config = small_decoder_config("none", "layer_norm", NormPlacement::pre);
  config.dropout = 0.5;
  const auto p = random_decoder_parameters<double>(config);
  const encoder::EncoderConfig side = target_side(config);
  NamedTensors<double> state;
  DecoderLayer<double>(side, p.layers[0], "decoder.layers.0", encoder::make_mask_recorder(masks))
      .forward(random_tensor<double>("x", {2, 2, 4}), {}, sample_encoder_output(), {.seed = 5},
               state);
  ASSERT_EQ(masks.size(), 6u);
  expect_derivative_of_layer("layer_norm", NormPlacement::pre, {.masks = &masks}, 0.5);
}

TEST(DecoderLayer, UpdatesOnlyItsOwnNormState) {
  const DecoderConfig config =
      small_decoder_config("batch_norm", "batch_norm", NormPlacement::post, 2);
  const auto p = random_decoder_parameters<double>(config);
  const encoder::EncoderConfig side = target_side(config);
  auto state = initial_norm_state<double>(config);
  const auto before = state;
  DecoderLayer<double> layer(side, p.layers[1], "decoder.layers.1", {});
  layer.forward(random_tensor<double>("x", {2, 2, 4}), {}, sample_encoder_output(), {}, state);
  EXPECT_EQ(state.names(), before.names());
  for (const auto& [name, values] : before)
    EXPECT_EQ(values == state.at(name), !name.starts_with("decoder.layers.1.")) << name;
}

TEST(DecoderLayer, GivenDropoutMasksReproduceTheBitsOfDrawnMasks) {
  DecoderConfig config = small_decoder_config("none", "layer_norm", NormPlacement::pre);
  config.dropout = 0.5;
  const auto p = random_decoder_parameters<double>(config).layers[0];
  const encoder::EncoderConfig side = target_side(config);
  const auto x = random_tensor<double>("x", {2, 2, 4}), dy = random_tensor<double>("dy", {2, 2, 4});
  std::map<std::string, Mask> masks;
  const auto run_with = [&](const ModelRunSettings& run, const TensorTap<double>& tap) {
    NamedTensors<double> state;
    DecoderLayerParameters<double> gradients;
    Tensor<double> grad_memory;
    DecoderLayer<double> layer(side, p, "decoder.layers.0", tap);
    std::vector<Tensor<double>> all = {layer.forward(x, {}, sample_encoder_output(), run, state)};
    all.push_back(layer.backward(dy, sample_encoder_output(), run, state, gradients, grad_memory));
    all.push_back(grad_memory);
    return all;
  };
  const auto drawn = run_with({.seed = 5}, encoder::make_mask_recorder(masks));
  ASSERT_EQ(masks.size(), 6u);
  EXPECT_TRUE(masks.contains("decoder.layers.0.cross_attention.weights"));
  EXPECT_EQ(run_with({.seed = 6, .masks = &masks}, {}), drawn);
  EXPECT_NE(run_with({.seed = 6}, {}), drawn);
  masks.erase("decoder.layers.0.cross_attention.y");
  EXPECT_NE(numeric::contract_message([&] { run_with({.masks = &masks}, {}); }), "no error");
}

}  // namespace
}  // namespace normproof::ref::decoder
