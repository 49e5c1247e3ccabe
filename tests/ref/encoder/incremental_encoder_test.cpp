#include "ref/encoder/incremental_encoder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/ref/encoder/encoders.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::ref::encoder {
namespace {

using model::NormPlacement;
using ::testing::HasSubstr;

EncoderConfig causal_config(const std::string& norm, NormPlacement placement) {
  EncoderConfig config = small_config(norm, placement, 2);
  config.causal = true;
  config.pooling = model::Pooling::per_position;
  return config;
}

void expect_equals_full_forward(const EncoderConfig& config) {
  const auto p = from_named(config, random_parameters<double>(config));
  auto state = initial_norm_state<double>(config);
  nn::Tokens tokens{1, 70, {}};
  for (std::size_t i = 0; i < tokens.seq_len; ++i)
    tokens.ids.push_back(static_cast<std::int32_t>(i * i % config.vocab_size));
  // A forward in training mode updates the running statistics.
  Encoder<double>(config, p).forward({tokens, {}}, {}, state);
  const auto whole =
      Encoder<double>(config, p).forward({tokens, {}}, {.mode = model::Mode::inference}, state);
  IncrementalEncoder<double> incremental(config, p, state);
  for (std::size_t t = 0; t < tokens.seq_len; ++t) {
    const auto logits = incremental.append(tokens.ids[t]);
    for (std::size_t c = 0; c < config.num_classes; ++c)
      ASSERT_EQ(logits.data()[c], whole.data()[t * config.num_classes + c])
          << model::norm_name(config.norm) << " position " << t;
  }
  EXPECT_EQ(incremental.size(), tokens.seq_len);
}

TEST(IncrementalEncoder, KeepsACopyOfItsConfig) {
  const EncoderConfig config = causal_config("layer_norm", NormPlacement::pre);
  const auto p = from_named(config, random_parameters<double>(config));
  const auto state = initial_norm_state<double>(config);
  EncoderConfig other = config;
  IncrementalEncoder<double> expected(config, p, state), incremental(other, p, state);
  other = {};
  EXPECT_EQ(incremental.append(1), expected.append(1));
}

TEST(IncrementalEncoder, MatchesTheFullForwardForEveryNormAndPlacement) {
  for (const std::string& norm : model::norm_names())
    for (const NormPlacement placement : {NormPlacement::post, NormPlacement::pre}) {
      const EncoderConfig config = causal_config(norm, placement);
      if (!model::norm_layer(config.norm).uses_statistics_per_sample())
        expect_equals_full_forward(config);
    }
}

TEST(IncrementalEncoder, MatchesTheFullForwardWithATiedHeadAndWithoutPositions) {
  EncoderConfig config = causal_config("layer_norm", NormPlacement::pre);
  config.tied_head = true;
  config.num_classes = config.vocab_size;
  expect_equals_full_forward(config);
  config.positions = false;
  expect_equals_full_forward(config);
  config.scaled_embedding = true;
  expect_equals_full_forward(config);
}

std::string rejection_message(const EncoderConfig& config, std::int32_t token = 0) {
  const auto p = from_named(config, random_parameters<double>(config));
  const auto state = initial_norm_state<double>(config);
  return numeric::contract_message(
      [&] { IncrementalEncoder<double>(config, p, state).append(token); });
}

TEST(IncrementalEncoder, C1_RejectsEncodersThatAreNotCausalAndPerPosition) {
  EncoderConfig config = causal_config("layer_norm", NormPlacement::pre);
  config.causal = false;
  EXPECT_THAT(rejection_message(config), HasSubstr("is not causal"));
  config = causal_config("layer_norm", NormPlacement::pre);
  config.pooling = model::Pooling::masked_mean;
  EXPECT_THAT(rejection_message(config), HasSubstr("has the pooling masked_mean"));
}

TEST(IncrementalEncoder, C2_RejectsTokensOutsideOfTheVocabulary) {
  EXPECT_THAT(rejection_message(causal_config("none", NormPlacement::post), 5),
              HasSubstr("token is 5; expected 0 to 4 (C2)"));
}

}  // namespace
}  // namespace normproof::ref::encoder
