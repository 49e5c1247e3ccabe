#include "ref/decoder/incremental_decoder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/ref/decoder/decoders.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::ref::decoder {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kTargetTokens = 70;

/// Returns one sentence pair. Its source has three tokens and two positions of padding, and its
/// target has 70 tokens.
DecoderInputs long_sentence_pair() {
  DecoderInputs inputs{{{1, 5, {1, 3, 2, 0, 0}}, Mask{{true, true, true, false, false}}},
                       {{1, kTargetTokens, {}}}};
  for (std::size_t i = 0; i < kTargetTokens; ++i)
    inputs.target.tokens.ids.push_back(static_cast<std::int32_t>(i * i % 3));
  return inputs;
}

const std::vector<std::int32_t> kSource = {1, 3, 2};

/// A model with random parameters whose running statistics have been updated by one forward in
/// training mode.
struct TrainedDecoder {
  explicit TrainedDecoder(DecoderConfig described)
      : config(std::move(described)),
        parameters(random_decoder_parameters<double>(config)),
        state(initial_norm_state<double>(config)) {
    Decoder<double>(config, parameters).hidden(long_sentence_pair(), {}, state);
  }

  DecoderConfig config;
  DecoderParameters<double> parameters;
  NamedTensors<double> state;
};

void expect_same_as_full_forward(const DecoderConfig& config) {
  TrainedDecoder trained(config);
  const auto whole =
      Decoder<double>(trained.config, trained.parameters)
          .forward(long_sentence_pair(), {.mode = model::Mode::inference}, trained.state);
  IncrementalDecoder<double> incremental(trained.config, trained.parameters, trained.state,
                                         kSource);
  const std::vector<std::int32_t> ids = long_sentence_pair().target.tokens.ids;
  for (std::size_t t = 0; t < kTargetTokens; ++t) {
    const auto logits = incremental.append(ids[t]);
    ASSERT_EQ(tensor::shape_of(logits), (Shape{3}));
    for (std::size_t c = 0; c < 3; ++c)
      ASSERT_EQ(logits.data()[c], whole.data()[t * 3 + c])
          << config_label(config) << " position " << t;
  }
  EXPECT_EQ(incremental.size(), kTargetTokens);
}

TEST(IncrementalDecoder, MatchesTheFullForwardForEveryNormAndPlacement) {
  for (const DecoderConfig& config : decoder_configs(2)) expect_same_as_full_forward(config);
}

TEST(IncrementalDecoder, MatchesTheFullForwardWithATiedHeadAndWithoutPositions) {
  DecoderConfig config = small_decoder_config("power_norm", "layer_norm", NormPlacement::pre, 2);
  config.tied_head = true;
  expect_same_as_full_forward(config);
  config.positions = false;
  expect_same_as_full_forward(config);
  config.scaled_embedding = true;
  expect_same_as_full_forward(config);
}

Tensor<double> logits_after_prefix(IncrementalDecoder<double> decoder,
                                   const std::vector<std::int32_t>& ids) {
  Tensor<double> logits;
  for (const std::int32_t id : ids) logits = decoder.append(id);
  return logits;
}

// After a copy, original and copy can append different tokens, as the hypotheses of a beam search
// do, even at the same time on different threads.
TEST(IncrementalDecoder, CopiesContinueIndependently) {
  const TrainedDecoder trained(
      small_decoder_config("power_norm", "batch_norm", NormPlacement::post, 2));
  const IncrementalDecoder<double> decoder_at_start(trained.config, trained.parameters,
                                                    trained.state, kSource);
  const auto one = logits_after_prefix(decoder_at_start, {1, 2, 0, 1}),
             other = logits_after_prefix(decoder_at_start, {1, 2, 2, 1});
  EXPECT_NE(one, other);
  IncrementalDecoder<double> first = decoder_at_start;
  first.append(1);
  first.append(2);
  IncrementalDecoder<double> second = first;
  EXPECT_EQ(second.size(), 2u);
  Tensor<double> found_one, found_other;
  std::thread beside([&] { found_one = logits_after_prefix(first, {0, 1}); });
  found_other = logits_after_prefix(second, {2, 1});
  beside.join();
  EXPECT_EQ(found_one, one);
  EXPECT_EQ(found_other, other);
  EXPECT_EQ(decoder_at_start.size(), 0u);
}

/// The encoder output belongs to a source that ends with two positions of padding.
TEST(IncrementalDecoder, ResumesFromAnEncoderOutputAndCachedKeysAndValues) {
  for (const NormPlacement placement : {NormPlacement::post, NormPlacement::pre}) {
    TrainedDecoder trained(small_decoder_config("layer_norm", "batch_norm", placement, 2));
    const Memory<double> memory =
        Decoder<double>(trained.config, trained.parameters)
            .encode(long_sentence_pair().source, {.mode = model::Mode::inference}, trained.state);
    IncrementalDecoder<double> whole(trained.config, trained.parameters, trained.state, kSource);
    whole.append(1);
    whole.append(2);
    IncrementalDecoder<double> resumed_decoder(trained.config, trained.parameters, trained.state,
                                               memory, whole.caches());
    EXPECT_EQ(resumed_decoder.size(), 2u);
    EXPECT_EQ(resumed_decoder.append(0), whole.append(0));
    EXPECT_EQ(resumed_decoder.append(2), whole.append(2));
    ASSERT_EQ(resumed_decoder.caches().size(), 2u);
    for (std::size_t l = 0; l < 2; ++l) {
      EXPECT_EQ(resumed_decoder.caches()[l].keys, whole.caches()[l].keys);
      EXPECT_EQ(resumed_decoder.caches()[l].values, whole.caches()[l].values);
      EXPECT_EQ(resumed_decoder.caches()[l].keys.size(), 4u * 4);
    }
  }
}

TEST(IncrementalDecoder, C7_RejectsAnEncoderOutputOfSeveralSentences) {
  const TrainedDecoder trained(small_decoder_config("none", "none", NormPlacement::post));
  const Memory<double> two{tensor::full_tensor<double>({2, 3, 4}, 1.0), {}};
  EXPECT_THAT(numeric::contract_message([&] {
                IncrementalDecoder<double>(trained.config, trained.parameters, trained.state, two);
              }),
              HasSubstr("memory has shape [2, 3, 4]; expected [1,S,D] (C7)"));
}

TEST(IncrementalDecoder, C8_RejectsCachedKeysAndValuesThatDoNotFitTheLayers) {
  const TrainedDecoder trained(small_decoder_config("none", "none", NormPlacement::post, 2));
  const Memory<double> memory{tensor::full_tensor<double>({1, 3, 4}, 1.0), {}};
  using Caches = std::vector<nn::KeyValueCache<double>>;
  const auto message = [&](const Caches& past) {
    return numeric::contract_message([&] {
      IncrementalDecoder<double>(trained.config, trained.parameters, trained.state, memory, past);
    });
  };
  const std::vector<double> row(4, 0.5), more(8, 0.5), part(3, 0.5);
  EXPECT_THAT(message({{row, row}}), HasSubstr("past has 1 layers; expected 2, or none (C8)"));
  EXPECT_THAT(message({{row, row}, {more, more}}),
              HasSubstr("past has 8 numbers of keys and 8 of values"));
  EXPECT_THAT(message({{row, row}, {row, more}}),
              HasSubstr("past has 4 numbers of keys and 8 of values"));
  EXPECT_THAT(message({{part, part}, {part, part}}), HasSubstr("rows of 4 (C8)"));
}

TEST(IncrementalDecoder, C5_RejectsAnEmptySource) {
  const TrainedDecoder trained(small_decoder_config("none", "none", NormPlacement::post));
  EXPECT_THAT(numeric::contract_message([&] {
                IncrementalDecoder<double>(trained.config, trained.parameters, trained.state,
                                           std::vector<std::int32_t>());
              }),
              HasSubstr("source has no token; expected one at least (C5)"));
}

TEST(IncrementalDecoder, C6_RejectsTokensOutsideOfTheTargetVocabulary) {
  const TrainedDecoder trained(small_decoder_config("none", "none", NormPlacement::post));
  IncrementalDecoder<double> decoder(trained.config, trained.parameters, trained.state, kSource);
  EXPECT_THAT(numeric::contract_message([&] { decoder.append(3); }),
              HasSubstr("token is 3; expected 0 to 2 (C6)"));
  EXPECT_THAT(numeric::contract_message([&] { decoder.append(-1); }), HasSubstr("token is -1"));
}

}  // namespace
}  // namespace normproof::ref::decoder
