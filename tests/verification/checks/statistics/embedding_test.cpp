#include "verification/checks/statistics/embedding.hpp"

#include <gtest/gtest.h>

#include "ref/numeric/parallel.hpp"
#include "ref/numeric/random.hpp"
#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/checks/statistics/corpora.hpp"

namespace normproof::tests::verification::checks::statistics {
namespace {

using namespace normproof::verification::checks::statistics;
using normproof::ref::numeric::contract_message;
using normproof::ref::numeric::RandomStream;

TEST(Embedding, EntriesAreNormalNumbersTimesTheScale) {
  const EmbeddingTable table = make_embedding(3, 5, 4, 0.5);
  const RandomStream stream(3, "embedding");
  ASSERT_EQ(table.values.size(), 20u);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(table.values.data()[i], 0.5 * stream.normal(i));
}

TEST(Embedding, EntriesDoNotDependOnTableSizeOrThreads) {
  const EmbeddingTable small = make_embedding(3, 5, 4);
  normproof::ref::numeric::set_num_threads(3);
  const EmbeddingTable large = make_embedding(3, 4000, 4);
  normproof::ref::numeric::set_num_threads(1);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(small.values.data()[i], large.values.data()[i]);
  const EmbeddingTable again = make_embedding(3, 4000, 4);
  for (std::size_t i = 0; i < 16000; ++i)
    ASSERT_EQ(large.values.data()[i], again.values.data()[i]) << i;
}

TEST(Embedding, RowsBelongToTheirTokensAndPaddingIsScaled) {
  const EmbeddingTable table = make_embedding(3, 5, 2);
  const auto batch = small_batch();
  const auto x = embed(table, batch, 8);
  ASSERT_EQ(ref::tensor::shape_of(x), (ref::tensor::Shape{2, 3, 2}));
  for (std::size_t row = 0; row < 6; ++row) {
    const double scale = batch.valid[row] != 0 ? 1 : 8;
    for (std::size_t d = 0; d < 2; ++d) {
      EXPECT_EQ(x.data()[row * 2 + d],
                scale * table.values.data()[static_cast<std::size_t>(batch.tokens[row]) * 2 + d]);
    }
  }
}

TEST(Embedding, MaskIsTrueAtRealTokens) {
  const auto mask = valid_mask(small_batch());
  ASSERT_EQ(ref::tensor::shape_of(mask), (ref::tensor::Shape{2, 3}));
  EXPECT_EQ(std::vector<bool>(mask.begin(), mask.end()),
            (std::vector<bool>{true, true, true, true, false, false}));
}

TEST(Embedding, UpstreamGradientIsZeroAtPaddingAndChangesEachStep) {
  const auto one = upstream_gradient(3, 1, small_batch(), 2);
  const auto two = upstream_gradient(3, 2, small_batch(), 2);
  const RandomStream stream(3, "grad_y/1");
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(one.data()[i], stream.normal(i));
    EXPECT_NE(one.data()[i], two.data()[i]);
  }
  for (std::size_t i = 8; i < 12; ++i) EXPECT_EQ(one.data()[i], 0);
}

TEST(MakeEmbedding, C1_RejectsAnEmptyVocabularyAndZeroFeatures) {
  EXPECT_EQ(contract_message([] { make_embedding(1, 0, 4); }),
            "make_embedding: vocab_size is 0; expected at least one token (C1)");
  EXPECT_EQ(contract_message([] { make_embedding(1, 4, 0); }),
            "make_embedding: d_model is 0; expected at least 1 (C1)");
}

TEST(MakeEmbedding, C2_RejectsAnInfiniteScale) {
  EXPECT_EQ(
      contract_message([] { make_embedding(1, 4, 4, std::numeric_limits<double>::infinity()); }),
      "make_embedding: scale is inf; expected a finite number (C2)");
}

TEST(Embed, C1_RejectsTokensOutsideTheTable) {
  auto batch = small_batch();
  EXPECT_EQ(contract_message([&] { embed(make_embedding(1, 4, 4), batch); }),
            "embed: batch.tokens[3] is 4; expected an id below 4 (C1)");
  batch.tokens[0] = -1;
  EXPECT_EQ(contract_message([&] { embed(make_embedding(1, 5, 4), batch); }),
            "embed: batch.tokens[0] is -1; expected an id below 5 (C1)");
}

}  // namespace
}  // namespace normproof::tests::verification::checks::statistics
