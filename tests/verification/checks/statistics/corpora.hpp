#pragma once

#include <cstdint>

#include "ref/data/batching.hpp"
#include "ref/numeric/random.hpp"
#include "verification/checks/statistics/statistics.hpp"

namespace normproof::tests::verification::checks::statistics {

/// Returns random sentences of 2 to `longest` tokens. The vocabulary has 50 ids; id 0 is [PAD].
inline normproof::verification::checks::statistics::TokenizedCorpus random_corpus(
    std::size_t sentences, std::size_t longest) {
  const normproof::ref::numeric::RandomStream stream(5, "test corpus");
  normproof::verification::checks::statistics::TokenizedCorpus corpus;
  corpus.vocab_size = 50;
  std::uint64_t index = 0;
  for (std::size_t s = 0; s < sentences; ++s) {
    std::vector<std::int32_t> ids(2 + stream.below(index++, longest - 1));
    for (auto& id : ids) id = static_cast<std::int32_t>(1 + stream.below(index++, 49));
    corpus.sequences.push_back(std::move(ids));
    corpus.labels.push_back(1);
  }
  return corpus;
}

/// Returns a batch of two sentences with the ids (1, 2, 3) and (4). Two of its six positions are
/// padding.
inline normproof::ref::data::TokenBatch small_batch() {
  return {.batch_size = 2,
          .seq_len = 3,
          .tokens = {1, 2, 3, 4, 0, 0},
          .valid = {1, 1, 1, 1, 0, 0},
          .labels = {1, 1},
          .sentence_index = {0, 1}};
}

}  // namespace normproof::tests::verification::checks::statistics
