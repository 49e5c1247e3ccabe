#include "ref/data/batching.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

#include "ref/numeric/errors.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::tests::ref::data {
namespace {

using ::testing::ElementsAre;
using ::testing::StrEq;
using namespace ::normproof::ref::data;
using normproof::ref::numeric::ContractError;
using normproof::ref::numeric::error_message;

using Ids = std::vector<std::int32_t>;
using Sequences = std::vector<Ids>;

const Sequences three = {{2, 10, 11, 3}, {2, 3}, {2, 20, 21, 22, 23, 3}};
const std::vector<int> three_labels = {0, 1, 2};

BatchingOptions unshuffled_options(std::size_t batch_size) {
  BatchingOptions options;
  options.batch_size = batch_size;
  options.shuffle = false;
  options.pad_id = 7;
  return options;
}

TEST(MakeBatches, PadsToTheLongestSentenceOfTheBatch) {
  const auto batches = make_batches(three, three_labels, unshuffled_options(2));
  ASSERT_EQ(batches.size(), 2u);
  EXPECT_EQ(batches[0], (TokenBatch{.batch_size = 2,
                                    .seq_len = 4,
                                    .tokens = {2, 10, 11, 3, 2, 3, 7, 7},
                                    .valid = {1, 1, 1, 1, 1, 1, 0, 0},
                                    .labels = {0, 1},
                                    .sentence_index = {0, 1}}));
  EXPECT_EQ(batches[1], (TokenBatch{.batch_size = 1,
                                    .seq_len = 6,
                                    .tokens = {2, 20, 21, 22, 23, 3},
                                    .valid = {1, 1, 1, 1, 1, 1},
                                    .labels = {2},
                                    .sentence_index = {2}}));
}

TEST(MakeBatches, FixedLengthPadsAndTruncatesBeforeTheLastToken) {
  auto options = unshuffled_options(3);
  options.fixed_length = 4;
  const auto batches = make_batches(three, three_labels, options);
  ASSERT_EQ(batches.size(), 1u);
  EXPECT_EQ(batches[0].seq_len, 4u);
  EXPECT_EQ(batches[0].tokens, (Ids{2, 10, 11, 3, 2, 3, 7, 7, 2, 20, 21, 3}));
  EXPECT_THAT(batches[0].valid, ElementsAre(1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1));
  options.fixed_length = 8;
  const auto longer = make_batches(three, three_labels, options);
  EXPECT_EQ(longer[0].seq_len, 8u);
  EXPECT_EQ(std::accumulate(longer[0].valid.begin(), longer[0].valid.end(), 0), 4 + 2 + 6);
}

TEST(MakeBatches, DropLastOmitsAPartialLastBatch) {
  auto options = unshuffled_options(2);
  options.drop_last = true;
  const auto batches = make_batches(three, three_labels, options);
  ASSERT_EQ(batches.size(), 1u);
  EXPECT_THAT(batches[0].sentence_index, ElementsAre(0, 1));
  options.batch_size = 3;
  EXPECT_EQ(make_batches(three, three_labels, options).size(), 1u);
}

void expect_rejection_message(const Sequences& sequences, const std::vector<int>& labels,
                              const BatchingOptions& options, const std::string& message) {
  EXPECT_THAT(error_message<ContractError>([&] { make_batches(sequences, labels, options); }),
              StrEq("make_batches: " + message));
}

TEST(MakeBatches, C1_RejectsEmptySequences) {
  expect_rejection_message({}, {}, unshuffled_options(2),
                           "sequences is empty; expected at least one sequence (C1)");
}

TEST(MakeBatches, C2_RejectsTooFewLabels) {
  expect_rejection_message(three, {0, 1}, unshuffled_options(2),
                           "labels has extent 2; expected 3, the number of sequences (C2)");
}

TEST(MakeBatches, C3_RejectsAnEmptySequence) {
  expect_rejection_message({{2, 3}, {}}, {0, 1}, unshuffled_options(2),
                           "sequences[1] is empty; expected at least one token (C3)");
}

TEST(MakeBatches, C4_RejectsBatchSizeZero) {
  expect_rejection_message(three, three_labels, unshuffled_options(0),
                           "options.batch_size is 0; expected at least 1 (C4)");
}

TEST(MakeBatches, C5_RejectsFixedLengthBelowTwo) {
  auto options = unshuffled_options(2);
  options.fixed_length = 1;
  expect_rejection_message(three, three_labels, options,
                           "options.fixed_length is 1; expected at least 2 (C5)");
}

TEST(MakeBatches, C6_RejectsDropLastWithoutAWholeBatch) {
  auto options = unshuffled_options(4);
  options.drop_last = true;
  expect_rejection_message(
      three, three_labels, options,
      "options.batch_size is 4 with drop_last and 3 sequences; expected no more than the "
      "number of sequences, so that a batch is left (C6)");
}

TEST(ShuffledOrder, HasTheRecordedOrdersForGivenSeeds) {
  EXPECT_THAT(shuffled_order(10, 42, 0), ElementsAre(1, 5, 9, 3, 2, 4, 8, 0, 6, 7));
  EXPECT_THAT(shuffled_order(10, 42, 1), ElementsAre(1, 9, 5, 4, 3, 2, 7, 0, 8, 6));
  EXPECT_THAT(shuffled_order(10, 43, 0), ElementsAre(5, 3, 7, 2, 6, 4, 9, 8, 1, 0));
  EXPECT_THAT(shuffled_order(0, 42, 0), ElementsAre());
  EXPECT_THAT(shuffled_order(1, 42, 0), ElementsAre(0));
}

// 4 sentences have 24 orders. Over 2400 epochs, each order occurs 100 times on average, with a
// standard deviation of 9.8.
TEST(ShuffledOrder, ReachesEveryOrderAboutEquallyOften) {
  std::vector<std::vector<std::size_t>> seen;
  for (std::uint64_t epoch = 0; epoch < 2400; ++epoch) seen.push_back(shuffled_order(4, 42, epoch));
  std::vector<std::size_t> order = {0, 1, 2, 3};
  do {
    const auto count = std::ranges::count(seen, order);
    EXPECT_GE(count, 60);
    EXPECT_LE(count, 140);
  } while (std::ranges::next_permutation(order).found);
}

RC_GTEST_PROP(MakeBatches, ContainsEachSentenceOnceInTheShuffledOrder,
              (std::uint64_t seed, std::uint64_t epoch)) {
  const auto sequences = *rc::gen::nonEmpty<Sequences>(
      rc::gen::container<Sequences>(rc::gen::nonEmpty<Ids>(rc::gen::arbitrary<Ids>())));
  std::vector<int> labels;
  for (std::size_t i = 0; i < sequences.size(); ++i) labels.push_back(static_cast<int>(i % 3));
  BatchingOptions options;
  options.batch_size = *rc::gen::inRange<std::size_t>(1, 12);
  options.seed = seed;
  options.epoch = epoch;
  options.shuffle = *rc::gen::arbitrary<bool>();
  options.drop_last = options.batch_size <= sequences.size() && *rc::gen::arbitrary<bool>();
  options.pad_id = -1;
  if (*rc::gen::arbitrary<bool>()) options.fixed_length = *rc::gen::inRange<std::size_t>(2, 20);

  const auto batches = make_batches(sequences, labels, options);
  RC_ASSERT(make_batches(sequences, labels, options) == batches);
  std::vector<std::size_t> met;
  for (const auto& batch : batches) {
    RC_ASSERT(batch.batch_size == options.batch_size ||
              (&batch == &batches.back() && !options.drop_last));
    RC_ASSERT(batch.sentence_index.size() == batch.batch_size);
    RC_ASSERT(batch.labels.size() == batch.batch_size);
    RC_ASSERT(batch.tokens.size() == batch.batch_size * batch.seq_len);
    RC_ASSERT(batch.valid.size() == batch.tokens.size());
    std::size_t longest = 0;
    for (std::size_t b = 0; b < batch.batch_size; ++b) {
      const auto index = batch.sentence_index[b];
      met.push_back(index);
      RC_ASSERT(batch.labels[b] == labels[index]);
      Ids expected = sequences[index];
      longest = std::max(longest, expected.size());
      if (expected.size() > batch.seq_len) {
        expected.resize(batch.seq_len);
        expected.back() = sequences[index].back();
      }
      for (std::size_t t = 0; t < batch.seq_len; ++t) {
        const auto at = b * batch.seq_len + t;
        RC_ASSERT(batch.valid[at] == (t < expected.size() ? 1 : 0));
        RC_ASSERT(batch.tokens[at] == (t < expected.size() ? expected[t] : options.pad_id));
      }
    }
    RC_ASSERT(batch.seq_len == options.fixed_length.value_or(longest));
  }
  auto order = options.shuffle ? shuffled_order(sequences.size(), seed, epoch)
                               : std::vector<std::size_t>(sequences.size());
  if (!options.shuffle) std::iota(order.begin(), order.end(), std::size_t{0});
  if (options.drop_last) order.resize(order.size() / options.batch_size * options.batch_size);
  RC_ASSERT(met == order);
}

RC_GTEST_PROP(ShuffledOrder, IsAPermutation, (std::uint64_t seed, std::uint64_t epoch)) {
  const auto count = *rc::gen::inRange<std::size_t>(0, 200);
  auto order = shuffled_order(count, seed, epoch);
  std::ranges::sort(order);
  std::vector<std::size_t> identity_permutation(count);
  std::iota(identity_permutation.begin(), identity_permutation.end(), std::size_t{0});
  RC_ASSERT(order == identity_permutation);
}

}  // namespace
}  // namespace normproof::tests::ref::data
