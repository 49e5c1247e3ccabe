#include "verification/checks/statistics/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "ref/data/synthetic.hpp"
#include "ref/data/wordpiece.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/numeric/parallel.hpp"
#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/checks/statistics/corpora.hpp"
#include "verification/checks/statistics/statistics_json.hpp"
#include "verification/checks/statistics/summary.hpp"

namespace normproof::tests::verification::checks::statistics {
namespace {

using namespace normproof::verification::checks::statistics;
using normproof::ref::numeric::set_num_threads;

const StatisticsOptions kSmall{.d_model = 8, .batch_size = 6, .steps = 12, .warmup_steps = 2};

std::string dump(const Statistics& statistics) {
  return to_json(statistics).dump();
}

const RecordedScenario& find_scenario(const Statistics& statistics, std::string_view name) {
  for (const RecordedScenario& followed : statistics.followed)
    if (followed.scenario.name == name) return followed;
  throw std::out_of_range(std::string(name));
}

TEST(StatisticsReport, BitsDoNotDependOnTheNumberOfThreads) {
  // Large enough that the work is shared among threads.
  const TokenizedCorpus corpus = random_corpus(200, 60);
  const StatisticsOptions options{.d_model = 48, .batch_size = 64, .steps = 4, .sloped_steps = 1};
  set_num_threads(1);
  const std::string one = dump(collect_statistics(corpus, options));
  for (const int threads : {2, 3, 7}) {
    set_num_threads(threads);
    EXPECT_EQ(dump(collect_statistics(corpus, options)), one) << threads;
  }
  set_num_threads(1);
  StatisticsOptions other = options;
  other.seed = 2;
  EXPECT_NE(dump(collect_statistics(corpus, other)), one);
}

TEST(StatisticsReport, EachEpochHasANewOrderOfSentences) {
  const Statistics statistics = collect_statistics(random_corpus(20, 9), kSmall);
  ASSERT_EQ(statistics.batches.size(), 12u);
  // An epoch has four batches, of 6, 6, 6 and 2 sentences.
  for (std::size_t i = 0; i < 12; ++i)
    EXPECT_EQ(statistics.batches[i].sentences, i % 4 == 3 ? 2u : 6u);
  std::size_t tokens = 0;
  for (std::size_t i = 0; i < 4; ++i) tokens += statistics.batches[i].tokens;
  EXPECT_EQ(tokens, statistics.corpus.tokens);
  EXPECT_NE(statistics.batches[0].tokens, statistics.batches[4].tokens);
}

TEST(StatisticsReport, CountsTokensAndPaddingOfTheCorpus) {
  TokenizedCorpus corpus;
  corpus.vocab_size = 5;
  corpus.sequences = {{1, 2, 3}, {4}, {1, 2, 3, 4, 1, 2}};
  corpus.labels = {0, 1, 2};
  const Statistics statistics = collect_statistics(
      corpus, {.d_model = 2, .batch_size = 3, .steps = 1, .published_length = 5});
  EXPECT_EQ(statistics.corpus.sentences, 3u);
  EXPECT_EQ(statistics.corpus.tokens, 10u);
  EXPECT_EQ(statistics.corpus.longest, 6u);
  // 3 + 1 + 5 tokens remain after truncation
  EXPECT_EQ(statistics.corpus.published_pad_fraction, 6.0 / 15.0);
  EXPECT_EQ(statistics.batches[0].seq_len, 6u);
  EXPECT_EQ(statistics.batches[0].pad_fraction, 8.0 / 18.0);
}

TEST(StatisticsReport, CoversEveryScenarioAtEveryStep) {
  const Statistics statistics = collect_statistics(random_corpus(20, 9), kSmall);
  ASSERT_EQ(statistics.followed.size(), scenarios(kSmall).size());
  std::size_t deciding = 0;
  for (const RecordedScenario& followed : statistics.followed) {
    EXPECT_EQ(followed.steps.size(), 12u) << followed.scenario.name;
    EXPECT_EQ(followed.is_power_norm, followed.steps[0].recursion.has_value());
    deciding += followed.scenario.decides ? 1 : 0;
  }
  EXPECT_EQ(deciding, 2u);
  EXPECT_FALSE(has_error(statistics));
}

TEST(StatisticsReport, ReportsProgressAfterEveryStep) {
  std::size_t last = 0;
  collect_statistics(random_corpus(20, 9), kSmall, [&](std::size_t step, std::size_t steps) {
    EXPECT_EQ(step, last + 1);
    EXPECT_EQ(steps, 12u);
    last = step;
  });
  EXPECT_EQ(last, 12u);
}

// A masked statistic must have the same bits whatever the padded rows contain.
TEST(StatisticsReport, MaskedStatisticsIgnorePadding) {
  const Statistics statistics = collect_statistics(random_corpus(20, 9), kSmall);
  EXPECT_TRUE(statistics.padding_is_inert);
  const RecordedScenario& plain = find_scenario(statistics, "power_norm");
  const RecordedScenario& large = find_scenario(statistics, "power_norm, large [PAD]");
  for (std::size_t i = 0; i < plain.steps.size(); ++i) {
    EXPECT_EQ(plain.steps[i].recursion->max_nu, large.steps[i].recursion->max_nu);
    EXPECT_EQ(plain.steps[i].recursion->max_theta, large.steps[i].recursion->max_theta);
  }
}

TEST(StatisticsReport, HasErrorIfADecidingScenarioIsUnstableOrPaddingLeaks) {
  Statistics statistics;
  EXPECT_FALSE(has_error(statistics));
  statistics.padding_is_inert = false;
  EXPECT_TRUE(has_error(statistics));
  statistics.padding_is_inert = true;
  statistics.followed.resize(1);
  statistics.followed[0].stability.stability = Stability::error;
  EXPECT_FALSE(has_error(statistics));
  statistics.followed[0].scenario.decides = true;
  EXPECT_TRUE(has_error(statistics));
  statistics.followed[0].stability.stability = Stability::warning;
  EXPECT_FALSE(has_error(statistics));
}

// The report exists to show these findings.
TEST(StatisticsReport, SyntheticSentencesShowTheEffectOfPadding) {
  auto vocabulary = ref::data::Vocabulary::from_tokens(ref::data::synthetic_vocabulary(), "test");
  TokenizedCorpus corpus;
  corpus.vocab_size = vocabulary.size();
  corpus.pad_id = vocabulary.pad_id();
  const ref::data::WordPieceTokenizer tokenizer(std::move(vocabulary));
  for (const auto& [sentence, label] : ref::data::synthetic_sentences(42, 256)) {
    corpus.sequences.push_back(tokenizer.encode(sentence));
    corpus.labels.push_back(label);
  }
  const Statistics statistics =
      collect_statistics(corpus, {.d_model = 16, .batch_size = 32, .steps = 60});
  EXPECT_FALSE(has_error(statistics));
  const auto variance = [&](std::string_view name) {
    return summarize(find_scenario(statistics, name), &RecordedStep::variance)->relative.mean;
  };
  EXPECT_GT(variance("batch_norm, padding counted"), 2 * variance("batch_norm"));
  EXPECT_EQ(find_scenario(statistics, "released").stability.stability, Stability::stable);
  EXPECT_EQ(find_scenario(statistics, "released, large [PAD]").stability.stability,
            Stability::stable);
  const RecordedScenario& unstable =
      find_scenario(statistics, "released, no group scaling, large [PAD]");
  EXPECT_EQ(unstable.stability.stability, Stability::error);
  EXPECT_GT(summarize(unstable, &NuUpdate::max_nu)->largest, 1e20);
}

TEST(StatisticsReport, C1_RejectsZeroSteps) {
  EXPECT_EQ(
      ref::numeric::contract_message([] { collect_statistics(random_corpus(4, 5), {.steps = 0}); }),
      "collect_statistics: options.steps is 0; expected at least 1 (C1)");
}

TEST(StatisticsReport, RejectsInvalidBatchAndEmbeddingOptions) {
  const TokenizedCorpus corpus = random_corpus(4, 5);
  using ref::numeric::ContractError;
  EXPECT_THROW(collect_statistics(corpus, {.d_model = 0}), ContractError);
  EXPECT_THROW(collect_statistics(corpus, {.batch_size = 0}), ContractError);
  EXPECT_THROW(collect_statistics({.sequences = {}, .labels = {}, .vocab_size = 5}, {}),
               ContractError);
}

}  // namespace
}  // namespace normproof::tests::verification::checks::statistics
