#include "verification/training/beam_search.hpp"

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "ref/encoder/incremental_encoder.hpp"
#include "ref/numeric/random.hpp"
#include "ref/ops/softmax.hpp"
#include "tests/verification/training/samples.hpp"
#include "tests/verification/training/small_language.hpp"
#include "verification/training/completion.hpp"

namespace normproof::verification::training {
namespace {

using ref::tensor::Tensor;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Tokens = std::vector<std::int32_t>;
using Rule = std::function<Tensor<double>(const Tokens& read)>;

/// A model whose logits are a function (`Rule`) of all tokens that it has read, including `begin`.
class RuleDecodingState : public DecodingState {
 public:
  explicit RuleDecodingState(Rule rule) : rule_(std::move(rule)) {}
  std::unique_ptr<DecodingState> fork() const override {
    return std::make_unique<RuleDecodingState>(*this);
  }
  Tensor<double> append(std::int32_t token) override {
    read_.push_back(token);
    return rule_(read_);
  }

 private:
  Rule rule_;
  Tokens read_ = {};
};

/// Returns a rule whose logits are pseudo-random numbers between -2 and 2. They depend on every
/// token that was read.
Rule random_rule(std::size_t vocabulary, std::uint64_t seed) {
  return [=](const Tokens& read) {
    const ref::numeric::RandomStream random(seed, fmt::format("{}", fmt::join(read, " ")));
    Tensor<double> logits = ref::tensor::empty_tensor<double>({vocabulary});
    for (std::size_t i = 0; i < vocabulary; ++i) logits.data()[i] = 4 * random.uniform(i) - 2;
    return logits;
  };
}

/// Adds to `all` every sentence that begins with `so_far` and has at most max_length tokens. Some
/// of these sentences are finished, the others are cut off.
void append_all_sentences(const Rule& rule, const BeamOptions& options, const Hypothesis& so_far,
                          std::vector<Hypothesis>& all) {
  Tokens read = {options.begin};
  read.insert(read.end(), so_far.tokens.begin(), so_far.tokens.end());
  const Tensor<double> follows = ref::ops::log_softmax(rule(read));
  for (std::size_t v = 0; v < follows.size(); ++v) {
    Hypothesis longer = so_far;
    longer.tokens.push_back(static_cast<std::int32_t>(v));
    longer.log_probability += follows.data()[v];
    longer.ended = longer.tokens.back() == options.end;
    longer.score =
        longer.log_probability / length_penalty(longer.tokens.size(), options.length_penalty);
    if (longer.ended || longer.tokens.size() == options.max_length)
      all.push_back(longer);
    else
      append_all_sentences(rule, options, longer, all);
  }
}

std::vector<Hypothesis> list_all_sentences(const Rule& rule, const BeamOptions& options) {
  std::vector<Hypothesis> all;
  append_all_sentences(rule, options, {}, all);
  std::ranges::stable_sort(all, [](const Hypothesis& a, const Hypothesis& b) {
    return a.ended != b.ended ? a.ended : a.score > b.score;
  });
  return all;
}

TEST(BeamSearch, WideEnoughBeamFindsAllSentencesBestFirst) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Rule rule = random_rule(3, seed);
    const BeamOptions options{.begin = 7,
                              .end = 2,
                              .width = 100,
                              .length_penalty = 0.25 * static_cast<double>(seed % 5),
                              .max_length = 4};
    const auto found = beam_search(RuleDecodingState(rule), options);
    const auto all = list_all_sentences(rule, options);
    ASSERT_EQ(all.size(), 31u);  // 1 + 2 + 4 + 8 finished, 16 cut off
    EXPECT_EQ(found, all) << seed;
  }
}

TEST(BeamSearch, WidthOneIsGreedySearch) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Rule rule = random_rule(5, seed);
    Tokens read = {0};
    while (read.size() < 9 && (read.size() == 1 || read.back() != 4)) {
      const Tensor<double> logits = rule(read);
      read.push_back(static_cast<std::int32_t>(std::ranges::max_element(logits) - logits.begin()));
    }
    const auto found =
        beam_search(RuleDecodingState(rule), {.end = 4, .width = 1, .max_length = 8});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].tokens, Tokens(read.begin() + 1, read.end()));
    EXPECT_EQ(found[0].ended, read.back() == 4);
  }
}

// The logits differ, but by so little that their log-probabilities are equal in double.
TEST(BeamSearch, WidthOneTakesTheLargerLogitIfLogProbabilitiesAreEqual) {
  const RuleDecodingState state([](const Tokens&) { return Tensor<double>{-1, 0, 1e-17, -1}; });
  const auto found = beam_search(state, {.end = 3, .width = 1, .max_length = 2});
  EXPECT_THAT(found[0].tokens, ElementsAre(2, 2));
}

TEST(BeamSearch, TiesAreOrderedByTokenThenByHypothesis) {
  const RuleDecodingState state([](const Tokens&) { return Tensor<double>{0, 0, 0}; });
  const auto found = beam_search(state, {.end = 2, .width = 3, .max_length = 2});
  // Step 1 keeps the tokens 0, 1 and end. Step 2 keeps token 0 after 0, and token 0 after 1.
  ASSERT_EQ(found.size(), 3u);
  EXPECT_THAT(found[0].tokens, ElementsAre(2));
  EXPECT_THAT(found[1].tokens, ElementsAre(0, 0));
  EXPECT_THAT(found[2].tokens, ElementsAre(1, 0));
  EXPECT_FALSE(found[1].ended);
}

TEST(BeamSearch, FindsASentenceThatGreedySearchMisses) {
  // Token 0 is more likely at first, but everything after it is unlikely.
  const RuleDecodingState state([](const Tokens& read) {
    if (read.size() == 1) return Tensor<double>{1, 0.9, -9, -9};
    return read[1] == 0 ? Tensor<double>{0, 0, 0, 0} : Tensor<double>{-9, -9, -9, 9};
  });
  const BeamOptions greedy{.end = 3, .width = 1, .max_length = 5};
  BeamOptions two = greedy;
  two.width = 2;
  EXPECT_THAT(beam_search(state, two)[0].tokens, ElementsAre(1, 3));
  EXPECT_GT(beam_search(state, two)[0].score, beam_search(state, greedy)[0].score);
}

TEST(BeamSearch, LargerLengthPenaltyNeverPrefersAShorterSentence) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::size_t length = 0;
    for (const double alpha : {0.0, 0.5, 1.0, 2.0, 4.0}) {
      const auto best =
          beam_search(RuleDecodingState(random_rule(3, seed)),
                      {.end = 1, .width = 200, .length_penalty = alpha, .max_length = 5})[0];
      EXPECT_GE(best.tokens.size(), length) << seed;
      length = best.tokens.size();
    }
  }
}

TEST(BeamSearch, ReturnsAtMostWidthHypotheses) {
  for (const std::size_t width : {1, 2, 3, 7, 20})
    EXPECT_EQ(beam_search(RuleDecodingState(random_rule(4, 1)), {.end = 3, .width = width}).size(),
              width);
  const BeamOptions wide{.end = 0, .width = 9, .max_length = 1};
  EXPECT_EQ(beam_search(RuleDecodingState(random_rule(4, 1)), wide).size(), 4u);
}

TEST(LengthPenalty, MatchesTheFormulaOfItsSource) {
  EXPECT_EQ(length_penalty(17, 0), 1);
  EXPECT_EQ(length_penalty(1, 0.6), 1);
  // exp amplifies the two roundings of its argument, which is 0.7 or 1.1.
  constexpr double kU = 0x1p-53;
  EXPECT_NEAR(length_penalty(7, 1), 2, 2 * (1 + 2 * 0.7) * kU * 1.001);
  EXPECT_NEAR(length_penalty(49, 0.5), 3, 3 * (1 + 2 * 1.1) * kU * 1.001);
}

/// A decoding state without a cache: at every token, the causal encoder reads the whole prefix
/// again.
class CachelessDecodingState : public DecodingState {
 public:
  explicit CachelessDecodingState(const LanguageModel& model) : model_(model) {}
  std::unique_ptr<DecodingState> fork() const override {
    return std::make_unique<CachelessDecodingState>(*this);
  }
  Tensor<double> append(std::int32_t token) override {
    read_.push_back(token);
    const auto& config = model_.config.train.encoder;
    const auto parameters = ref::encoder::from_named(config, model_.state.parameters);
    ref::encoder::IncrementalEncoder<double> encoder(config, parameters, model_.state.norms);
    Tensor<double> logits;
    for (const std::int32_t seen : read_) logits = encoder.append(seen);
    return logits;
  }

 private:
  const LanguageModel& model_;
  Tokens read_ = {};
};

TEST(BeamSearch, WidthOneCompletesATextLikeGreedyCompletion) {
  const TextData text = small_text();
  LanguageModel model{small_language_config(text), text.alphabet, {}};
  model.state = ref::train::initial_train_state(model.config.train);
  const std::string greedy = complete(model, "t", 9);
  // No character of the greedy completion ends the sentence.
  std::string unused = text.alphabet.text();
  std::erase_if(unused, [&](char c) { return greedy.find(c) != std::string::npos; });
  const auto found =
      beam_search(CachelessDecodingState(model), {.begin = text.alphabet.encode("t", "t")[0],
                                                  .end = text.alphabet.encode(unused, "t")[0],
                                                  .width = 1,
                                                  .max_length = 9});
  EXPECT_EQ(text.alphabet.decode(found[0].tokens), greedy);
}

std::string refused(const BeamOptions& options, const Tensor<double>& logits) {
  const RuleDecodingState state([=](const Tokens&) { return logits; });
  return ref::numeric::contract_message([&] { beam_search(state, options); });
}

TEST(BeamSearch, C1_RejectsZeroWidthOrMaxLength) {
  EXPECT_THAT(refused({.width = 0}, {0, 0}), HasSubstr("width is 0; expected 1 or more (C1)"));
  EXPECT_THAT(refused({.max_length = 0}, {0, 0}), HasSubstr("max_length is 0"));
}
TEST(BeamSearch, C2_RejectsANegativeOrInfiniteLengthPenalty) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THAT(refused({.length_penalty = -1}, {0, 0}),
              HasSubstr("length_penalty is -1; expected 0 or more (C2)"));
  EXPECT_THAT(refused({.length_penalty = infinity}, {0, 0}), HasSubstr("length_penalty is inf"));
}
TEST(BeamSearch, C3_RejectsAnEndOutsideTheLogits) {
  EXPECT_THAT(refused({.end = 2}, {0, 0}),
              HasSubstr("logits have shape [2]; expected [V] with V above end, 2 (C3)"));
  EXPECT_THAT(refused({.end = 0}, {{0, 0}}), HasSubstr("logits have shape [1, 2]"));
}

}  // namespace
}  // namespace normproof::verification::training
