#include "ref/data/pair_batches.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "ref/data/batching.hpp"
#include "ref/data/contexts.hpp"
#include "ref/numeric/random.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::tests::ref::data {
namespace {

using normproof::ref::data::kNoTarget;
using normproof::ref::data::make_pair_batches;
using normproof::ref::data::PairBatch;
using normproof::ref::data::PairOptions;
using normproof::ref::data::SentenceIds;
using normproof::ref::data::shuffled_order;
using normproof::ref::data::SpecialTokenIds;
using normproof::ref::numeric::contract_message;
using normproof::ref::numeric::RandomStream;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr SpecialTokenIds kSpecialTokenIds{.source_end = 102,
                                           .source_padding = 100,
                                           .target_begin = 201,
                                           .target_end = 202,
                                           .target_padding = 200};

const SentenceIds kSource = {{1, 2, 3}, {4}, {5, 6}}, kTarget = {{11}, {12, 13}, {14, 15, 16}};

TEST(SentencePairBatches, ArePaddedAndMaskThePadding) {
  const auto batches = make_pair_batches(kSource, kTarget, kSpecialTokenIds,
                                         {.batch_size = 2, .by_length = false, .shuffle = false});
  ASSERT_EQ(batches.size(), 2u);
  EXPECT_EQ(batches[0], (PairBatch{.batch_size = 2,
                                   .source_len = 4,
                                   .target_len = 3,
                                   .source = {1, 2, 3, 102, 4, 102, 100, 100},
                                   .source_valid = {1, 1, 1, 1, 1, 1, 0, 0},
                                   .inputs = {201, 11, 200, 201, 12, 13},
                                   .targets = {11, 202, kNoTarget, 12, 13, 202},
                                   .target_valid = {1, 1, 0, 1, 1, 1},
                                   .sentence_index = {0, 1}}));
  EXPECT_EQ(batches[1].targets, (std::vector<int>{14, 15, 16, 202}));
  EXPECT_THAT(batches[1].sentence_index, ElementsAre(2));
}

/// Returns `count` sentences of 1 to 9 words each. No two sentences are equal.
SentenceIds random_sentences(std::size_t count, const char* name) {
  const RandomStream random(5, name);
  SentenceIds sentences(count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t k = 0; k <= random.below(i, 9); ++k)
      sentences[i].push_back(static_cast<std::int32_t>(10 * i + k));
  return sentences;
}

std::vector<std::size_t> pair_indices(const std::vector<PairBatch>& batches) {
  std::vector<std::size_t> all;
  for (const PairBatch& batch : batches)
    all.insert(all.end(), batch.sentence_index.begin(), batch.sentence_index.end());
  return all;
}

TEST(SentencePairBatches, ContainEveryPairOnce) {
  const SentenceIds source = random_sentences(83, "source"),
                    target = random_sentences(83, "target");
  for (const bool by_length : {false, true})
    for (const bool shuffle : {false, true}) {
      const auto batches =
          make_pair_batches(source, target, kSpecialTokenIds,
                            {.batch_size = 8, .by_length = by_length, .shuffle = shuffle});
      ASSERT_EQ(batches.size(), 11u);
      const auto met = pair_indices(batches);
      EXPECT_EQ(std::set<std::size_t>(met.begin(), met.end()).size(), 83u);
      EXPECT_EQ(met.size(), 83u);
      for (const PairBatch& batch : batches)
        for (std::size_t b = 0; b < batch.batch_size; ++b) {
          const std::size_t i = batch.sentence_index[b], at = b * batch.target_len;
          for (std::size_t t = 0; t < batch.target_len; ++t) {
            const bool is_word = t < target[i].size(), is_real = t <= target[i].size();
            EXPECT_EQ(batch.target_valid[at + t], is_real ? 1 : 0);
            EXPECT_EQ(batch.targets[at + t], is_word   ? target[i][t]
                                             : is_real ? kSpecialTokenIds.target_end
                                                       : kNoTarget);
            // The input after a position is the target of that position.
            if (is_word) {
              EXPECT_EQ(batch.inputs[at + t + 1], batch.targets[at + t]);
            }
          }
          EXPECT_EQ(batch.source[b * batch.source_len + source[i].size()],
                    kSpecialTokenIds.source_end);
        }
    }
}

std::size_t count_padding(const std::vector<PairBatch>& batches) {
  std::size_t padding = 0;
  for (const PairBatch& batch : batches)
    padding += static_cast<std::size_t>(std::ranges::count(batch.source_valid, 0) +
                                        std::ranges::count(batch.target_valid, 0));
  return padding;
}

TEST(SentencePairBatches, HaveLessPaddingIfSentencesAreBatchedByLength) {
  const SentenceIds source = random_sentences(200, "source");
  const auto sorted = make_pair_batches(source, source, kSpecialTokenIds, {.batch_size = 10}),
             mixed = make_pair_batches(source, source, kSpecialTokenIds,
                                       {.batch_size = 10, .by_length = false});
  EXPECT_LT(4 * count_padding(sorted), count_padding(mixed));
}

TEST(SentencePairBatches, OrderOfPairsDependsOnSeedAndEpoch) {
  const SentenceIds source = random_sentences(60, "source");
  const auto order = [&](PairOptions options) {
    return pair_indices(make_pair_batches(source, source, kSpecialTokenIds, options));
  };
  EXPECT_EQ(order({.by_length = false, .seed = 9, .epoch = 2}), shuffled_order(60, 9, 2));
  for (const bool by_length : {false, true}) {
    EXPECT_EQ(order({.by_length = by_length, .seed = 1}),
              order({.by_length = by_length, .seed = 1}));
    EXPECT_NE(order({.by_length = by_length, .seed = 1}),
              order({.by_length = by_length, .seed = 2}));
    EXPECT_NE(order({.by_length = by_length, .epoch = 0}),
              order({.by_length = by_length, .epoch = 1}));
  }
  const auto by_length = order({.batch_size = 1, .shuffle = false});
  EXPECT_TRUE(std::ranges::is_sorted(
      by_length, {}, [&](std::size_t i) { return std::pair(source[i].size(), i); }));
}

TEST(SentencePairBatches, BatchesByLengthAreShuffledRunsOfTheSortedPairs) {
  const SentenceIds source = random_sentences(83, "source"),
                    target = random_sentences(83, "target");
  std::vector<std::size_t> sorted = shuffled_order(83, 4, 1), expected;
  std::ranges::stable_sort(sorted, {}, [&](std::size_t i) { return target[i].size(); });
  std::ranges::stable_sort(sorted, {}, [&](std::size_t i) { return source[i].size(); });
  for (const std::size_t k : shuffled_order(11, 4, 1))
    for (std::size_t i = 8 * k; i < std::min<std::size_t>(8 * k + 8, 83); ++i)
      expected.push_back(sorted[i]);
  EXPECT_EQ(pair_indices(make_pair_batches(source, target, kSpecialTokenIds,
                                           {.batch_size = 8, .seed = 4, .epoch = 1})),
            expected);
}

std::string rejection_message(const SentenceIds& source, const SentenceIds& target,
                              const PairOptions& options) {
  return contract_message([&] { make_pair_batches(source, target, kSpecialTokenIds, options); });
}

TEST(SentencePairBatches, C1_RejectsUnequalNumbersOfSourcesAndTargets) {
  EXPECT_THAT(rejection_message({}, {}, {}),
              HasSubstr("source is empty; expected one sentence at least"));
  EXPECT_THAT(rejection_message(kSource, {{1}}, {}),
              HasSubstr("target has 1 sentences; expected 3, as"));
}
TEST(SentencePairBatches, C2_RejectsAnEmptySentence) {
  EXPECT_THAT(rejection_message(kSource, {{1}, {}, {2}}, {}),
              HasSubstr("target[1] is empty; expected a word at least (C2)"));
}
TEST(SentencePairBatches, C3_RejectsBatchSizeZero) {
  EXPECT_THAT(rejection_message(kSource, kTarget, {.batch_size = 0}),
              HasSubstr("options.batch_size is 0; expected at least 1 (C3)"));
}

}  // namespace
}  // namespace normproof::tests::ref::data
