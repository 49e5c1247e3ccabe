#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace normproof::ref::data {

/// The word ids of sentences, one sentence per row.
using SentenceIds = std::vector<std::vector<std::int32_t>>;

/// Pairs of sentences, padded, in row-major order: the source [B,S] and the target [B,T].
struct PairBatch {
  std::size_t batch_size = 0;               // B
  std::size_t source_len = 0;               // S: length of the longest source with its end
  std::size_t target_len = 0;               // T: length of the longest target with its end
  std::vector<std::int32_t> source;         // [B,S] words, end mark, padding
  std::vector<std::uint8_t> source_valid;   // [B,S]; 1 = a word or the end mark, 0 = padding
  std::vector<std::int32_t> inputs;         // [B,T] begin mark, words, padding
  std::vector<int> targets;                 // [B,T] words, end mark; kNoTarget where not valid
  std::vector<std::uint8_t> target_valid;   // [B,T], for both inputs and targets
  std::vector<std::size_t> sentence_index;  // [B] position of the pair in the text
  bool operator==(const PairBatch&) const = default;
};

/// The ids of the marks that are not words.
struct PairMarks {
  std::int32_t source_end, source_padding;
  std::int32_t target_begin, target_end, target_padding;
};

struct PairOptions {
  std::size_t batch_size = 32;  ///< number of pairs; a batch at the end may have fewer
  /// Puts pairs of similar length into one batch, so that there is little padding.
  bool by_length = true;
  /// If false, pairs keep the order of the text, or of their lengths.
  bool shuffle = true;
  std::uint64_t seed = 42;
  std::uint64_t epoch = 0;
};

/// Returns one epoch of pairs in batches, for a translator that predicts each word of a target from
/// the previous ones.
///
/// Computes  order = shuffled_order(N, seed, epoch), or the identity. Batch k holds the pairs
///           order[k B], order[k B + 1], ... With by_length, order is first sorted by the length of
///           the source, then of the target, where pairs of equal lengths keep their order. The
///           resulting batches then come in the order shuffled_order(number of batches, seed,
///           epoch), or stay in place without shuffling
/// Shapes    source, target: N rows of ids, each with its own length
/// Requires  (C1) N >= 1, the same for both  (C2) no sentence is empty  (C3) batch_size >= 1
/// Order     each pair is in exactly one batch
/// Throws    ContractError
std::vector<PairBatch> make_pair_batches(const SentenceIds& source, const SentenceIds& target,
                                         const PairMarks& marks, const PairOptions& options);

}  // namespace normproof::ref::data
