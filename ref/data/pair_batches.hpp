#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace normproof::ref::data {

/// A sentence a row: the ids of its words.
using SentenceIds = std::vector<std::vector<std::int32_t>>;

/// Pairs of sentences, padded, in row-major order: the source [B,S], the target [B,T].
struct PairBatch {
  std::size_t batch_size = 0;               // B
  std::size_t source_len = 0;               // S: of the longest source and its end
  std::size_t target_len = 0;               // T: of the longest target and its end
  std::vector<std::int32_t> source;         // [B,S] words, end; padding
  std::vector<std::uint8_t> source_valid;   // [B,S] 1 = a word or the end, 0 = padding
  std::vector<std::int32_t> inputs;         // [B,T] begin, words; padding
  std::vector<int> targets;                 // [B,T] words, end; kNoTarget where not valid
  std::vector<std::uint8_t> target_valid;   // [B,T] of inputs and of targets
  std::vector<std::size_t> sentence_index;  // [B] position of the pair in the text
  bool operator==(const PairBatch&) const = default;
};

/// The ids that stand for no word.
struct PairMarks {
  std::int32_t source_end, source_padding;
  std::int32_t target_begin, target_end, target_padding;
};

struct PairOptions {
  std::size_t batch_size = 32;  ///< of pairs; a batch may have fewer at the end
  /// Pairs of similar length are in one batch, so that there is little padding.
  bool by_length = true;
  /// False: pairs keep the order of the text, or of their lengths.
  bool shuffle = true;
  std::uint64_t seed = 42;
  std::uint64_t epoch = 0;
};

/// One epoch of pairs in batches, for a translator that reads the words of a target before each one
/// that it predicts.
///
/// Computes  order = shuffled_order(N, seed, epoch), or the identity. Batch k holds the pairs
///           order[k B], order[k B + 1], ... With by_length, order is first sorted by the length of
///           the source, then of the target, pairs of equal lengths staying as they are, and the
///           batches made of it come in the order shuffled_order(number of batches, seed, epoch),
///           or as they are
/// Shapes    source, target: N rows of ids, each with its own length
/// Requires  (C1) N >= 1, the same of both  (C2) no sentence is empty  (C3) batch_size >= 1
/// Order     each pair is in exactly one batch
/// Throws    ContractError
std::vector<PairBatch> make_pair_batches(const SentenceIds& source, const SentenceIds& target,
                                         const PairMarks& marks, const PairOptions& options);

}  // namespace normproof::ref::data
