#include "ref/data/contexts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/ref/numeric/error_message.hpp"

namespace normproof::tests::ref::data {
namespace {

using normproof::ref::data::ContextBatch;
using normproof::ref::data::ContextOptions;
using normproof::ref::data::count_context_batches;
using normproof::ref::data::kNoTarget;
using normproof::ref::data::make_contexts;
using normproof::ref::numeric::contract_message;
using ::testing::HasSubstr;

std::vector<std::int32_t> ascending_ids(std::size_t count) {
  std::vector<std::int32_t> text(count);
  for (std::size_t i = 0; i < count; ++i) text[i] = static_cast<std::int32_t>(i);
  return text;
}

TEST(TextContexts, FollowTheOrderOfTheText) {
  const auto batches =
      make_contexts(ascending_ids(9), {.length = 3, .batch_size = 2, .shuffle = false});
  ASSERT_EQ(batches.size(), 2u);
  EXPECT_EQ(batches[0],
            (ContextBatch{2, 3, {0, 1, 2, 3, 4, 5}, {1, 1, 1, 1, 1, 1}, {1, 2, 3, 4, 5, 6}}));
  EXPECT_EQ(batches[1], (ContextBatch{1, 3, {6, 7, 0}, {1, 1, 0}, {7, 8, kNoTarget}}));
}

TEST(TextContexts, UseEveryTokenExceptTheFirstAsATargetExactlyOnce) {
  for (const std::size_t tokens : {2, 3, 64, 65, 66, 200})
    for (const std::uint64_t epoch : {0, 1}) {
      const ContextOptions options{.length = 13, .batch_size = 4, .seed = 7, .epoch = epoch};
      const auto batches = make_contexts(ascending_ids(tokens), options);
      EXPECT_EQ(batches.size(), count_context_batches(tokens, options));
      std::multiset<int> targets;
      for (const ContextBatch& batch : batches)
        for (std::size_t i = 0; i < batch.targets.size(); ++i) {
          EXPECT_EQ(batch.targets[i] == kNoTarget, batch.valid[i] == 0);
          if (batch.valid[i] == 0) continue;
          EXPECT_EQ(batch.targets[i], batch.tokens[i] + 1);
          targets.insert(batch.targets[i]);
        }
      EXPECT_EQ(targets.size(), tokens - 1);
      EXPECT_EQ(std::set<int>(targets.begin(), targets.end()).size(), tokens - 1);
    }
}

TEST(TextContexts, AreShuffledBySeedAndEpoch) {
  const auto first = [](std::uint64_t seed, std::uint64_t epoch) {
    return make_contexts(ascending_ids(400), {.length = 5, .seed = seed, .epoch = epoch})[0].tokens;
  };
  EXPECT_EQ(first(1, 0), first(1, 0));
  EXPECT_NE(first(1, 0), first(1, 1));
  EXPECT_NE(first(1, 0), first(2, 0));
}

std::string rejection_message(std::size_t tokens, const ContextOptions& options) {
  return contract_message([&] { make_contexts(ascending_ids(tokens), options); });
}

TEST(TextContexts, C1_RejectsATextWithFewerThanTwoTokens) {
  EXPECT_THAT(rejection_message(1, {}), HasSubstr("text has 1 tokens; expected two at least (C1)"));
}
TEST(TextContexts, C2_RejectsContextLengthZero) {
  EXPECT_THAT(rejection_message(9, {.length = 0}),
              HasSubstr("options.length is 0; expected at least 1 (C2)"));
}
TEST(TextContexts, C3_RejectsBatchSizeZero) {
  EXPECT_THAT(rejection_message(9, {.batch_size = 0}), HasSubstr("options.batch_size is 0"));
}

}  // namespace
}  // namespace normproof::tests::ref::data
