#include "ref/decoder/decoder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "ref/numeric/parallel.hpp"
#include "tests/ref/decoder/decoders.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::ref::decoder {
namespace {

using nn::expect_gradients;
using nn::random_tensor;
using ::testing::HasSubstr;

const ModelRunSettings kInferenceSettings{.mode = model::Mode::inference};

template <class T>
Tensor<T> run_forward(const DecoderConfig& config, const NamedTensors<T>& parameters,
                      const DecoderInputs& inputs, const ModelRunSettings& run = {}) {
  const auto p = from_named(config, parameters);
  auto state = initial_norm_state<T>(config);
  return Decoder<T>(config, p).forward(inputs, run, state);
}

Tensor<double> run_forward(const DecoderConfig& config, const DecoderInputs& inputs,
                           const ModelRunSettings& run = {}) {
  return run_forward(config, encoder::random_values<double>(parameter_shapes(config)), inputs, run);
}

/// Returns the gradients by name. The gradients of the embeddings are dense: rows of tokens that do
/// not occur are 0.
template <class T>
NamedTensors<T> named_gradients(const DecoderConfig& config, DecoderGradients<T> gradients) {
  gradients.parameters.encoder.embedding =
      encoder::to_dense(gradients.source_embedding, config.source_vocab_size, config.d_model);
  if (config.tied_head) {
    EXPECT_TRUE(gradients.target_embedding.rows.empty());
  } else {
    gradients.parameters.embedding =
        encoder::to_dense(gradients.target_embedding, config.target_vocab_size, config.d_model);
  }
  return to_named(std::move(gradients.parameters));
}

template <class T>
NamedTensors<T> run_backward(const DecoderConfig& config, const NamedTensors<T>& parameters,
                             const Tensor<T>& grad_logits, const DecoderInputs& inputs,
                             const ModelRunSettings& run = {}) {
  const auto p = from_named(config, parameters);
  auto state = initial_norm_state<T>(config);
  Decoder<T> decoder(config, p);
  decoder.forward(inputs, run, state);
  return named_gradients(config, decoder.backward(grad_logits, state));
}

void expect_derivative(const DecoderConfig& config, const ModelRunSettings& run = {}) {
  const auto parameters = encoder::random_values<double>(parameter_shapes(config));
  const auto grad = random_tensor<double>("grad_logits", {2, 2, config.target_vocab_size});
  EXPECT_EQ(run_backward(config, parameters, grad, two_sentence_pairs(), run).names(),
            parameters.names());
  expect_gradients(
      parameters, grad,
      [&](const auto& p) { return run_forward(config, p, two_sentence_pairs(), run); },
      [&](const auto& p, const auto& grad_y) {
        return run_backward(config, p, grad_y, two_sentence_pairs(), run);
      },
      config_label(config));
}

TEST(Decoder, BackwardIsTheDerivativeWithPostNorm) {
  expect_derivative(small_decoder_config("batch_norm", "layer_norm", NormPlacement::post));
}
TEST(Decoder, BackwardIsTheDerivativeWithPreNorm) {
  expect_derivative(small_decoder_config("layer_norm", "batch_norm", NormPlacement::pre));
}
TEST(Decoder, BackwardIsTheDerivativeForQuadraticMeanLayersWithPostNorm) {
  expect_derivative(small_decoder_config("power_norm_v", "rms_norm", NormPlacement::post));
}
TEST(Decoder, BackwardIsTheDerivativeForQuadraticMeanLayersWithPreNorm) {
  expect_derivative(small_decoder_config("scale_norm", "power_norm_v", NormPlacement::pre));
}
TEST(Decoder, BackwardIsTheDerivativeWithStatisticsOverEachSourceSentence) {
  expect_derivative(small_decoder_config("group_norm", "dyt", NormPlacement::pre));
}

TEST(Decoder, BackwardIsTheDerivativeWithATiedHeadAndWithoutPositions) {
  DecoderConfig config = small_decoder_config("none", "layer_norm", NormPlacement::post);
  config.tied_head = true;
  config.positions = false;
  config.activation = model::Activation::relu;
  expect_derivative(config);
  config.scaled_embedding = true;
  expect_derivative(config);
}

// Each decoder layer contributes to the gradient of the encoder output, so the backward must add
// them.
TEST(Decoder, BackwardIsTheDerivativeWithTwoDecoderLayers) {
  DecoderConfig config = small_decoder_config("none", "layer_norm", NormPlacement::pre);
  config.decoder.num_layers = 2;
  expect_derivative(config);
}

TEST(Decoder, BackwardIsTheDerivativeWithGivenDropoutMasks) {
  DecoderConfig config = small_decoder_config("layer_norm", "batch_norm", NormPlacement::post);
  config.dropout = 0.5;
  const auto p = random_decoder_parameters<double>(config);
  auto state = initial_norm_state<double>(config);
  std::map<std::string, Mask> masks;
  Decoder<double>(config, p, encoder::make_mask_recorder(masks))
      .forward(two_sentence_pairs(), {.seed = 7}, state);
  ASSERT_EQ(masks.size(), 10u);
  expect_derivative(config, {.masks = &masks});
}

TEST(Decoder, EncoderSideEqualsAnEncoderWithPerPositionOutput) {
  for (const NormPlacement placement : {NormPlacement::post, NormPlacement::pre}) {
    const DecoderConfig config = small_decoder_config("power_norm", "layer_norm", placement, 2);
    const auto p = random_decoder_parameters<double>(config);
    const encoder::EncoderConfig side = source_side(config);
    for (const model::Mode mode : {model::Mode::training, model::Mode::inference}) {
      auto state = initial_norm_state<double>(config);
      auto own_state = encoder::initial_norm_state<double>(side);
      const auto memory =
          Decoder<double>(config, p).encode(two_sentence_pairs().source, {.mode = mode}, state);
      const auto expected = encoder::Encoder<double>(side, p.encoder)
                                .hidden(two_sentence_pairs().source, {.mode = mode}, own_state);
      EXPECT_EQ(memory.values, expected);
      for (const auto& [name, values] : own_state)
        EXPECT_EQ(state.at("encoder." + name), values) << name;
    }
  }
}

/// Returns for each position whether the logits a and b are equal there.
std::vector<bool> find_equal_positions(const Tensor<double>& a, const Tensor<double>& b) {
  const std::size_t width = a.shape().back();
  std::vector<bool> equal;
  for (std::size_t i = 0; i < a.size(); i += width)
    equal.push_back(std::equal(a.data() + i, a.data() + i + width, b.data() + i));
  return equal;
}

TEST(Decoder, PaddingOfTheSourceDoesNotChangeTheLogits) {
  DecoderInputs other = two_sentence_pairs();
  other.source.tokens.ids[5] = 2;
  for (const DecoderConfig& config : decoder_configs(2)) {
    for (const model::Mode mode : {model::Mode::training, model::Mode::inference})
      EXPECT_EQ(run_forward(config, two_sentence_pairs(), {.mode = mode}),
                run_forward(config, other, {.mode = mode}))
          << config_label(config);
    const auto parameters = encoder::random_values<double>(parameter_shapes(config));
    const auto grad = random_tensor<double>("grad", {2, 2, 3});
    const auto expected = run_backward(config, parameters, grad, two_sentence_pairs());
    for (const auto& [name, values] : run_backward(config, parameters, grad, other))
      EXPECT_EQ(values, expected.at(name)) << name << " " << config_label(config);
  }
  // If the padding counts as a token, the logits do change.
  other.source.valid = Mask();
  EXPECT_NE(run_forward(decoder_configs(1)[0], two_sentence_pairs()),
            run_forward(decoder_configs(1)[0], other));
}

TEST(Decoder, PaddingOfTheTargetDoesNotChangeTheLogitsOfRealTokens) {
  DecoderInputs other = two_sentence_pairs();
  other.target.tokens.ids[1] = 2;
  for (const DecoderConfig& config : decoder_configs(2))
    for (const model::Mode mode : {model::Mode::training, model::Mode::inference})
      EXPECT_THAT(find_equal_positions(run_forward(config, two_sentence_pairs(), {.mode = mode}),
                                       run_forward(config, other, {.mode = mode})),
                  ::testing::ElementsAre(true, false, true, true))
          << config_label(config);
}

// In training, only norms with statistics over features have this property. The statistics of other
// norms include later tokens.
TEST(Decoder, LogitsDoNotDependOnLaterTargetTokens) {
  DecoderInputs other = two_sentence_pairs();
  other.target.tokens.ids[3] = 0;
  const auto changed = ::testing::ElementsAre(true, true, true, false);
  for (const DecoderConfig& config : decoder_configs(2)) {
    EXPECT_THAT(find_equal_positions(run_forward(config, two_sentence_pairs(), kInferenceSettings),
                                     run_forward(config, other, kInferenceSettings)),
                changed)
        << config_label(config);
    const bool uses_statistics_over_rows =
        model::norm_layer(config.decoder.norm).uses_statistics_over_rows();
    if (uses_statistics_over_rows) continue;
    EXPECT_THAT(
        find_equal_positions(run_forward(config, two_sentence_pairs()), run_forward(config, other)),
        changed)
        << config_label(config);
  }
  const DecoderConfig leaks = small_decoder_config("none", "batch_norm", NormPlacement::post);
  EXPECT_FALSE(
      find_equal_positions(run_forward(leaks, two_sentence_pairs()), run_forward(leaks, other))[2]);
}

TEST(Decoder, InferenceDoesNotDependOnBatchOrPadding) {
  const DecoderInputs alone{{{1, 2, {3, 1}}}, {{1, 2, {2, 1}}}};
  const DecoderInputs padded{
      {{2, 5, {1, 2, 3, 1, 2, 3, 1, 0, 0, 0}},
       Mask{{true, true, true, true, true}, {true, true, false, false, false}}},
      {{2, 4, {0, 1, 2, 1, 2, 1, 0, 0}},
       Mask{{true, true, true, true}, {true, true, false, false}}}};
  for (const DecoderConfig& config : decoder_configs(2)) {
    const auto expected = run_forward(config, alone, kInferenceSettings);
    const auto both = run_forward(config, two_sentence_pairs(), kInferenceSettings);
    const auto longer = run_forward(config, padded, kInferenceSettings);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(both.data()[2 * 3 + i], expected.data()[i]) << config_label(config) << " " << i;
      ASSERT_EQ(longer.data()[4 * 3 + i], expected.data()[i]) << config_label(config) << " " << i;
    }
  }
}

TEST(Decoder, BitsDoNotDependOnTheThreadCount) {
  DecoderConfig config = small_decoder_config("power_norm", "layer_norm", NormPlacement::post, 2);
  config.source_vocab_size = config.target_vocab_size = 50;
  config.d_model = 48;
  config.encoder.num_heads = config.decoder.num_heads = 4;
  config.decoder.d_ff = 96;
  config.dropout = 0.25;
  const auto sentences = [](std::size_t length) {
    encoder::EncoderInputs inputs{{9, length, {}}, tensor::full_tensor<bool>({9, length}, true)};
    for (std::size_t i = 0; i < 9 * length; ++i) {
      inputs.tokens.ids.push_back(static_cast<std::int32_t>(i * 7 % 50));
      inputs.valid.data()[i] = i % length < length / 2 + i / length;
    }
    return inputs;
  };
  const DecoderInputs inputs{sentences(31), sentences(23)};
  const auto p = random_decoder_parameters<double>(config);
  const auto step = [&] {
    auto state = initial_norm_state<double>(config);
    Decoder<double> decoder(config, p);
    const auto logits = decoder.forward(inputs, {.seed = 3, .step = 2}, state);
    auto named = named_gradients(config, decoder.backward(logits, state));
    named.set("logits", logits);
    for (const auto& [name, values] : state) named.set("state." + name, values);
    return named;
  };
  const auto once = step();
  for (const int threads : {2, 5}) {
    numeric::set_num_threads(threads);
    const auto again = step();
    for (const auto& [name, values] : once) EXPECT_EQ(values, again.at(name)) << name;
  }
  numeric::set_num_threads(1);
}

TEST(Decoder, HiddenStateAndHeadGiveTheBitsOfTheWholeModel) {
  for (const bool tied : {true, false}) {
    DecoderConfig config = small_decoder_config("power_norm", "layer_norm", NormPlacement::pre, 2);
    config.tied_head = tied;
    const auto named = encoder::random_values<double>(parameter_shapes(config));
    const auto grad = random_tensor<double>("grad", {2, 2, 3});
    const auto p = from_named(config, named);
    auto state = initial_norm_state<double>(config);
    Decoder<double> decoder(config, p);
    const auto hidden = decoder.hidden(two_sentence_pairs(), {}, state);
    const auto& weight = tied ? p.embedding : p.head.weight;
    EXPECT_EQ(nn::linear(hidden, weight, p.head.bias),
              run_forward(config, named, two_sentence_pairs()));
    auto head = nn::linear_backward(grad, hidden, weight, p.head.bias);
    auto gradients = decoder.hidden_backward(std::move(head.grad_x), state);
    add_head_gradients(config, std::move(head.parameters), gradients);
    const auto expected = run_backward(config, named, grad, two_sentence_pairs());
    for (const auto& [name, values] : named_gradients(config, std::move(gradients)))
      EXPECT_EQ(values, expected.at(name)) << name;
  }
}

TEST(Decoder, ATapReceivesEveryIntermediateTensorOnceAndChangesNothing) {
  DecoderConfig config = small_decoder_config("layer_norm", "layer_norm", NormPlacement::pre);
  const auto p = random_decoder_parameters<double>(config);
  auto state = initial_norm_state<double>(config);
  std::map<std::string, Shape> seen;
  const TensorTap<double> tap = [&](const std::string& name, const Tensor<double>& values) {
    EXPECT_TRUE(seen.emplace(name, tensor::shape_of(values)).second) << name << " twice";
  };
  Decoder<double> decoder(config, p, tap);
  const auto logits = decoder.forward(two_sentence_pairs(), {}, state);
  decoder.backward(logits, state);
  EXPECT_EQ(logits, run_forward(config, two_sentence_pairs()));
  for (const char* name : {"encoder.x",
                           "encoder.layers.0.attention.weights",
                           "encoder.layers.0.norm2.x",
                           "encoder.final_norm.y",
                           "memory",
                           "decoder.x",
                           "decoder.layers.0.self_attention.qkv",
                           "decoder.layers.0.norm1.rstd",
                           "decoder.layers.0.cross_attention.queries",
                           "decoder.layers.0.cross_attention.keys_values",
                           "decoder.layers.0.cross_attention.context",
                           "decoder.layers.0.cross_attention.y",
                           "decoder.layers.0.feed_forward.active",
                           "decoder.layers.0.norm3.y",
                           "decoder.final_norm.y",
                           "hidden",
                           "logits",
                           "grad_decoder.layers.0.cross_attention.x",
                           "grad_decoder.layers.0.cross_attention.memory",
                           "grad_decoder.layers.0.self_attention.x",
                           "grad_decoder.x",
                           "grad_memory",
                           "grad_encoder.layers.0.attention.x",
                           "grad_encoder.x"})
    EXPECT_TRUE(seen.contains(name)) << name;
  EXPECT_EQ(seen["decoder.layers.0.cross_attention.weights"], (Shape{2, 2, 2, 3}));
}

/// Runs forward and backward with inputs that `change(inputs, grad_logits)` has made invalid.
/// Returns the error message.
template <class Change>
std::string inputs_rejection_message(Change change) {
  const DecoderConfig config = small_decoder_config("none", "none", NormPlacement::post);
  const auto p = random_decoder_parameters<double>(config);
  auto state = initial_norm_state<double>(config);
  DecoderInputs inputs = two_sentence_pairs();
  Tensor<double> grad = random_tensor<double>("grad", {2, 2, 3});
  change(inputs, grad);
  return numeric::contract_message([&] {
    Decoder<double> decoder(config, p);
    decoder.forward(inputs, {}, state);
    decoder.backward(grad, state);
  });
}

TEST(Decoder, KeepsACopyOfItsConfig) {
  DecoderConfig config =
      small_decoder_config("layer_norm", "layer_norm", model::NormPlacement::pre, 1);
  const auto named = encoder::random_values<double>(parameter_shapes(config));
  const auto p = from_named(config, named);
  const auto expected = run_forward(config, named, two_sentence_pairs());
  auto state = initial_norm_state<double>(config);
  Decoder<double> decoder(config, p);
  config = {};
  EXPECT_EQ(decoder.forward(two_sentence_pairs(), {}, state), expected);
}

TEST(Decoder, C1_RejectsTargetsWithAnotherNumberOfSentences) {
  EXPECT_THAT(inputs_rejection_message([](auto& inputs, auto&) {
                inputs.target = {{1, 2, {1, 1}}};
              }),
              HasSubstr("target has 1 sentences; expected 2, as the source (C1)"));
}
TEST(Decoder, C2_RejectsSourceMaskOfWrongShape) {
  EXPECT_THAT(inputs_rejection_message([](auto& inputs, auto&) {
                inputs.source.valid = Mask{{true, true, true}};
              }),
              HasSubstr("valid has shape [1, 3]; expected shape [2, 3] (C2)"));
}
TEST(Decoder, C3_RejectsTargetMaskOfWrongShape) {
  EXPECT_THAT(inputs_rejection_message(
                  [](auto& inputs, auto&) { inputs.target.valid = inputs.source.valid; }),
              HasSubstr("valid has shape [2, 3]; expected shape [2, 2] (C3)"));
}
TEST(Decoder, C4_RejectsGradientOfWrongShape) {
  EXPECT_THAT(inputs_rejection_message([](auto&, auto& grad) {
                grad = random_tensor<double>("grad", {2, 3, 3});
              }),
              HasSubstr("grad_logits has shape [2, 3, 3]; expected shape [2, 2, 3] (C4)"));
}

}  // namespace
}  // namespace normproof::ref::decoder
